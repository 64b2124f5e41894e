import type { Avatar } from '@passport/contract/avatar'
import { useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { UploadFoot } from './UploadFoot.tsx'
import { useUpload } from './use-upload.ts'

interface ImportDialogProps {
  kind: 'picture' | '3D avatar'
  onSaved: (message: string) => void
  onClose: () => void
}

/** Imports a picture or a model from a URL. A model becomes the picture too, unless the user has chosen one. */
export function ImportDialog({ kind, onSaved, onClose }: ImportDialogProps) {
  const [url, setUrl] = useState('')
  const { state, send, cancel } = useUpload(`import the ${kind}`, async (avatar, signal) => {
    const imported = `${kind === 'picture' ? 'Picture' : kind} imported`
    const obstacle = await takePicture(avatar, signal).catch(() => 'Its picture could not be taken')
    onSaved(obstacle === undefined ? imported : `${imported}. ${obstacle}, so your picture is unchanged.`)
  })
  const wanted = url.trim()
  return (
    <Dialog isOpen onClose={onClose} title={`Import a ${kind}`} className="w-[480px]">
      <form
        noValidate
        className="mt-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted && state.phase !== 'sending')
            void send(kind === 'picture' ? { pngUrl: wanted } : { glbUrl: wanted })
        }}
      >
        <Field
          label="URL"
          type="url"
          inputMode="url"
          placeholder={`https://example.com/avatar.${kind === 'picture' ? 'png' : 'glb'}`}
          hint="The file is copied once. Later changes at this address are not followed."
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <UploadFoot state={state} action="Import" isReady={wanted !== ''} onCancelUpload={cancel} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** Uploads the picture of a model if the user has not chosen one; returns why there is none. */
async function takePicture({ glbUrl, pngSource }: Avatar, signal: AbortSignal): Promise<string | undefined> {
  if (glbUrl === null || (pngSource !== null && pngSource !== 'poster')) return undefined
  const { addPoster } = await import('./poster.ts')
  return addPoster(glbUrl, signal)
}
