import { modelType } from '@passport/contract/avatar'
import { useEffect, useRef, useState } from 'react'

interface FileDropProps {
  onPicture: (file: File) => void
  onModel: (file: File) => void
}

/** Accepts a picture or a model that is dropped anywhere on the page; the buttons are the alternative for keyboards. */
export function FileDrop(props: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    function handleDrag(event: DragEvent) {
      if (!event.dataTransfer?.types.includes('Files')) return
      // Without this, the browser would leave the page and open the file.
      event.preventDefault()
      const isBlocked = document.querySelector('dialog[open]') !== null
      // Inside the window, the pointer leaves one element for another.
      setOver(!isBlocked && (event.type === 'dragover' || (event.type === 'dragleave' && event.relatedTarget !== null)))
      const file = event.type === 'drop' && !isBlocked ? event.dataTransfer.files[0] : undefined
      if (!file) return
      const { onPicture, onModel } = latest.current
      if (file.type === modelType || /\.(?:glb|vrm)$/i.test(file.name)) onModel(file)
      else onPicture(file)
    }
    const events = ['dragover', 'dragleave', 'drop'] as const
    for (const name of events) window.addEventListener(name, handleDrag)
    return () => {
      for (const name of events) window.removeEventListener(name, handleDrag)
    }
  }, [])
  if (!isOver) return null
  return (
    <div className="pointer-events-none fixed inset-0 z-40 grid place-items-center bg-paper/90 p-4">
      <p className="grid size-full place-items-center rounded-box border-2 border-dashed border-stamp text-center text-[17px] font-[580]">
        Drop a picture or a GLB or VRM file
      </p>
    </div>
  )
}
