import type { Avatar } from '@passport/contract/avatar'
import { useEffect, useState } from 'react'
import { DescribedError } from '../app/api.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { CropArea } from './CropArea.tsx'
import { type Crop, centreCrop, cutSquare } from './crop.ts'
import { UploadFoot } from './UploadFoot.tsx'
import { useUpload } from './use-upload.ts'

interface PictureDialogProps {
  file: File
  onSaved: (avatar: Avatar) => void
  onClose: () => void
}

const unreadable = {
  title: "Couldn't open the picture",
  detail: 'This browser cannot read the file. Choose a PNG, JPEG, WebP or AVIF picture.',
}

/** Crops a picture to a square and uploads it. */
export function PictureDialog({ file, onSaved, onClose }: PictureDialogProps) {
  const [picture, setPicture] = useState<ImageBitmap | 'unreadable'>()
  const [crop, setCrop] = useState<Crop>()
  const { state, send, cancel } = useUpload('upload the picture', onSaved)

  useEffect(() => {
    let isOpen = true
    createImageBitmap(file).then(
      (bitmap) => {
        if (!isOpen) return bitmap.close()
        setPicture(bitmap)
        setCrop(centreCrop(bitmap))
      },
      () => isOpen && setPicture('unreadable'),
    )
    return () => {
      isOpen = false
    }
  }, [file])
  const isReady = picture !== undefined && picture !== 'unreadable' && crop !== undefined

  return (
    <Dialog isOpen onClose={onClose} title="Crop your picture" className="w-[440px]">
      <div className="mt-4 min-h-[280px] sm:min-h-[440px]" aria-busy={picture === undefined}>
        {picture === 'unreadable' && <ErrorCard failure={unreadable} />}
        {isReady && <CropArea picture={picture} crop={crop} onChange={setCrop} />}
      </div>
      <UploadFoot
        state={state}
        action="Save picture"
        isReady={isReady}
        onSend={() => isReady && void send(cut(picture, crop))}
        onCancelUpload={cancel}
        onClose={onClose}
      />
    </Dialog>
  )
}

async function cut(picture: ImageBitmap, crop: Crop): Promise<{ png: File }> {
  const png = await cutSquare(picture, crop).catch(() => {
    throw new DescribedError("The browser couldn't encode the picture.")
  })
  return { png: new File([png], 'picture.png', { type: png.type }) }
}
