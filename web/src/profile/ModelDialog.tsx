import { type Avatar, maxModelBytes } from '@passport/contract/avatar'
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { formatSize } from './model-file.ts'
import { type Poster, readPoster } from './poster.ts'
import { UploadFoot } from './UploadFoot.tsx'
import { useUpload } from './use-upload.ts'

interface ModelDialogProps {
  file: File
  onSaved: (avatar: Avatar) => void
  onClose: () => void
}

const notGlb = { title: 'Not a GLB file', detail: 'Choose a binary glTF 2.0 file, with the extension .glb or .vrm.' }
const tooLarge = {
  title: 'The file is too large',
  detail: `A 3D avatar can have ${maxModelBytes / 1024 ** 2} MiB at most.`,
}

/** Uploads a model, with a picture of it that this browser renders. */
export function ModelDialog({ file, onSaved, onClose }: ModelDialogProps) {
  const [poster, setPoster] = useState<Poster | 'not GLB'>()
  const { state, send, cancel } = useUpload('upload the 3D avatar', onSaved)
  const isTooLarge = file.size > maxModelBytes

  useEffect(() => {
    let isOpen = true
    if (!isTooLarge)
      void file
        .arrayBuffer()
        .then(readPoster)
        .then((poster) => isOpen && setPoster(poster))
    return () => {
      isOpen = false
    }
  }, [file, isTooLarge])

  const failure = isTooLarge ? tooLarge : poster === 'not GLB' ? notGlb : undefined
  const upload = () => {
    if (!poster || poster === 'not GLB') return
    void send({ glb: file, ...('png' in poster && { png: poster.png, poster: '1' }) })
  }
  return (
    <Dialog isOpen onClose={onClose} title="Upload a 3D avatar" className="w-[440px]">
      <div className="mt-4">
        {failure ? (
          <ErrorCard failure={failure} />
        ) : (
          <div className="flex items-center gap-4">
            <PosterImage poster={poster === 'not GLB' ? undefined : poster} />
            <div className="min-w-0">
              <p className="truncate font-[560]">{file.name}</p>
              <p className="text-[13px] text-ink3">{formatSize(file.size)}</p>
              <p role="status" className="mt-1.5 text-[13px] text-ink2">
                {describePoster(poster)}
              </p>
            </div>
          </div>
        )}
      </div>
      <UploadFoot
        state={state}
        action="Upload"
        isReady={!failure && poster !== undefined}
        onSend={upload}
        onCancelUpload={cancel}
        onClose={onClose}
      />
    </Dialog>
  )
}

function PosterImage({ poster }: { poster: Poster | undefined }) {
  const [url, setUrl] = useState<string>()
  const png = poster && 'png' in poster ? poster.png : undefined
  useEffect(() => {
    if (!png) return
    const url = URL.createObjectURL(png)
    setUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [png])
  return (
    <span aria-busy={poster === undefined} className="grid size-28 shrink-0 place-items-center rounded-pop bg-well">
      {png && url && <img src={url} alt="The 3D avatar from the front" className="size-full" />}
    </span>
  )
}

function describePoster(poster: Poster | 'not GLB' | undefined): string {
  if (!poster || poster === 'not GLB') return 'Rendering its picture'
  return 'reason' in poster
    ? `${poster.reason}, so it is uploaded without a picture.`
    : 'This becomes your picture, unless you have chosen one yourself.'
}
