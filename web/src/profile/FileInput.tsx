import { type DragEvent, type ReactNode, useRef, useState } from 'react'

interface FileInputProps {
  /** The media types or extensions, as in the attribute `accept`. */
  accept: string
  onFile: (file: File) => void
  /** Renders the content around a function that opens the file dialog. */
  children: (choose: () => void) => ReactNode
}

/** An area on which a file can be dropped; a button in it can also choose one. */
export function FileInput({ accept, onFile, children }: FileInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const handleDrag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    const file = event.type === 'drop' ? event.dataTransfer.files[0] : undefined
    if (file) onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button is the alternative for keyboards
    <div
      onDragOver={handleDrag}
      onDragLeave={handleDrag}
      onDrop={handleDrag}
      className={`rounded-box ${isOver ? 'outline-2 outline-offset-2 outline-stamp' : ''}`}
    >
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const file = event.target.files?.[0]
          // Cleared, so that the same file can be chosen again.
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
      {children(() => input.current?.click())}
    </div>
  )
}
