import { type Avatar as AvatarFiles, deleteAvatarPngUrl, pictureTypes } from '@passport/contract/avatar'
import { ImageUp, Link2 } from 'lucide-react'
import { Suspense } from 'react'
import { reportSuccess } from '../app/messages.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { FileInput, type NewFile } from './FileInput.tsx'
import { RemoveFile } from './RemoveFile.tsx'
import { SourceLine } from './SourceLine.tsx'

const PictureDialog = lazyPart(async () => (await import('./PictureDialog.tsx')).PictureDialog)
const ImportDialog = lazyPart(async () => (await import('./ImportDialog.tsx')).ImportDialog)

interface PictureCardProps {
  user: { id: string; name: string }
  avatar: AvatarFiles | null
  isLoaded: boolean
  /** What the open dialog uploads. */
  open: NewFile | undefined
  onOpen: (open: NewFile | undefined) => void
}

/** The user's own picture, which replaces their initials. */
export function PictureCard({ user, avatar, isLoaded, open, onOpen }: PictureCardProps) {
  const close = () => onOpen(undefined)
  const saved = (message: string) => {
    close()
    reportSuccess(message)
  }
  const picture = avatar?.pngUrl
  return (
    <FileInput accept={pictureTypes.join()} onFile={onOpen}>
      {(choose) => (
        <Card title="Picture">
          <div className="flex items-center gap-4 px-4 pt-1 pb-[18px] sm:gap-5 sm:px-[18px]">
            <Avatar {...user} picture={picture} size={72} />
            <div className="grid min-w-0 flex-1 gap-2.5">
              <p className="min-h-[42px] content-center text-ink2">
                {isLoaded &&
                  (picture ? (
                    <SourceLine avatar={avatar} source={avatar.pngSource} />
                  ) : (
                    <>
                      No picture yet <span className="block text-[13px] text-ink3">PNG, JPEG, WebP or AVIF</span>
                    </>
                  ))}
              </p>
              <div className="flex flex-wrap gap-2">
                <Button isSmall disabled={!isLoaded} onClick={choose}>
                  <ImageUp size={14} aria-hidden="true" /> Upload picture
                </Button>
                <Button isSmall disabled={!isLoaded} onClick={() => onOpen('import')}>
                  <Link2 size={14} aria-hidden="true" /> Import from URL
                </Button>
                {picture && (
                  <RemoveFile profileId="me" endpoint={deleteAvatarPngUrl} kind="picture" isSmall>
                    Your initials appear instead.
                  </RemoveFile>
                )}
              </div>
            </div>
          </div>
          <Suspense>
            {open === 'import' && <ImportDialog kind="picture" onSaved={saved} onClose={close} />}
            {open instanceof File && (
              <PictureDialog file={open} onSaved={() => saved('Picture uploaded')} onClose={close} />
            )}
          </Suspense>
        </Card>
      )}
    </FileInput>
  )
}
