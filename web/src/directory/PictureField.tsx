import { toPicturePath } from '@passport/contract/brand-values'
import { maxBrandPictureBytes, uploadBrandPicture } from '@passport/contract/branding'
import { ImageUp } from 'lucide-react'
import { useId, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'

interface PictureFieldProps {
  label: string
  hint: string
  /** The picture is shown as an icon. */
  isSmall?: boolean
  /** The hash of the picture; empty for none. */
  value: string
  error: string | undefined
  onChange: (hash: string) => void
}

/** A PNG picture, which is uploaded when it is chosen or dropped, and used once the form is saved. */
export function PictureField({ label, hint, isSmall = false, value, error, onChange }: PictureFieldProps) {
  const id = useId()
  const [isUploading, setUploading] = useState(false)
  const [problem, setProblem] = useState<string>()
  const message = problem ?? error

  async function upload(file: File | undefined) {
    if (!file || isUploading) return
    setProblem(undefined)
    if (file.size > maxBrandPictureBytes)
      return setProblem(`The picture must have at most ${maxBrandPictureBytes / 1024} KiB.`)
    setUploading(true)
    try {
      // Named by its content: the type that the system guesses from the file name may be missing.
      const picture = new File([file], 'picture.png', { type: 'image/png' })
      onChange((await call(uploadBrandPicture, { body: { picture } })).hash)
    } catch (failure) {
      const { detail, title } = toFailure(failure)
      setProblem(detail ?? title)
    }
    setUploading(false)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div
      role="group"
      aria-labelledby={id}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void upload(event.dataTransfer.files[0])
      }}
    >
      <p id={id} className="mb-1.5 font-[560]">
        {label}
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <span
          className={`grid flex-none place-items-center overflow-hidden rounded-ctl border border-line bg-well ${isSmall ? 'size-14' : 'h-14 w-36 max-w-full px-2'}`}
        >
          {value ? (
            <img
              src={toPicturePath(value)}
              alt={`Current ${label.toLowerCase()}`}
              className={isSmall ? 'size-8 object-contain' : 'max-h-11 max-w-full object-contain'}
            />
          ) : (
            <img src="/app/seal.svg" alt="Default" width={isSmall ? 32 : 40} height={isSmall ? 32 : 40} />
          )}
        </span>
        <div className="flex flex-wrap gap-2">
          <label
            className={`btn cursor-pointer focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-stamp ${isUploading ? 'opacity-60' : ''}`}
          >
            <ImageUp size={15} aria-hidden="true" />
            {isUploading ? 'Uploading' : value ? 'Replace' : 'Upload'}
            <input
              type="file"
              accept="image/png"
              aria-label={`Upload ${label.toLowerCase()}`}
              aria-describedby={`${id}-message`}
              className="sr-only"
              disabled={isUploading}
              onChange={({ target }) => {
                void upload(target.files?.[0])
                target.value = ''
              }}
            />
          </label>
          {value && (
            <Button variant="ghost" onClick={() => onChange('')} aria-label={`Remove ${label.toLowerCase()}`}>
              Remove
            </Button>
          )}
        </div>
      </div>
      <p
        id={`${id}-message`}
        role={message ? 'alert' : undefined}
        className={`mt-1.5 text-[13px] ${message ? 'text-bad' : 'text-ink3'}`}
      >
        {message ?? `${hint} PNG, at most 256 KiB.`}
      </p>
    </div>
  )
}
