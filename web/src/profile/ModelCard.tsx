import { type Avatar as AvatarFiles, deleteAvatarGlbUrl } from '@passport/contract/avatar'
import { FileUp, Link2 } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { reportSuccess } from '../app/messages.ts'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { FileInput, type NewFile } from './FileInput.tsx'
import { ModelView } from './ModelView.tsx'
import { RemoveFile } from './RemoveFile.tsx'
import { SourceLine } from './SourceLine.tsx'
import { ModelIcon, Stage } from './Stage.tsx'

const ModelDialog = lazyPart(async () => (await import('./ModelDialog.tsx')).ModelDialog)
const ImportDialog = lazyPart(async () => (await import('./ImportDialog.tsx')).ImportDialog)

const modelKey = 'passport.has-model'

interface ModelCardProps {
  name: string
  avatar: AvatarFiles | null
  isLoaded: boolean
  /** What the open dialog uploads. */
  open: NewFile | undefined
  onOpen: (open: NewFile | undefined) => void
}

/** The user's 3D avatar. */
export function ModelCard({ name, avatar, isLoaded, open, onOpen }: ModelCardProps) {
  const close = () => onOpen(undefined)
  const saved = (message: string) => {
    close()
    reportSuccess(message)
  }
  const model = avatar?.glbUrl
  // Reserves the height of what loads, as on the last visit.
  const hadModel = loadChoice(modelKey) === 'true'
  useEffect(() => {
    if (isLoaded) storeChoice(modelKey, String(model != null))
  }, [isLoaded, model])
  return (
    <FileInput accept=".glb,.vrm,model/gltf-binary" onFile={onOpen}>
      {(choose) => (
        <Card title="3D avatar">
          <div className="grid gap-3 px-4 pt-1 pb-5 sm:px-[18px]">
            {model ? (
              <ModelView key={model} name={name} avatar={{ ...avatar, glbUrl: model }} />
            ) : (
              <Stage isBusy={!isLoaded} isLow={isLoaded || !hadModel}>
                {isLoaded && (
                  <p className="relative mb-6 grid justify-items-center gap-2 px-6 text-center text-balance text-ink2">
                    <ModelIcon />
                    No 3D avatar yet. Drop a GLB or VRM file here.
                  </p>
                )}
              </Stage>
            )}
            {model && (
              <p className="text-ink2">
                <SourceLine avatar={avatar} source={avatar.glbSource} />
              </p>
            )}
            <div className="flex flex-wrap gap-2">
              <Button isSmall disabled={!isLoaded} onClick={choose}>
                <FileUp size={14} aria-hidden="true" /> {model ? 'Replace' : 'Upload GLB'}
              </Button>
              <Button isSmall disabled={!isLoaded} onClick={() => onOpen('import')}>
                <Link2 size={14} aria-hidden="true" /> Import from URL
              </Button>
              {model && (
                <RemoveFile profileId="me" endpoint={deleteAvatarGlbUrl} kind="3D avatar" isSmall>
                  The picture that was taken from it stays until you remove it too.
                </RemoveFile>
              )}
            </div>
            <p className="text-[13px] text-ink3">
              Ready Player Me ended on 31 January 2026. Its GLB files work here.{' '}
              <a className="link" href="/docs/avatars#limits">
                What a file may have
              </a>
            </p>
          </div>
          <Suspense>
            {open === 'import' && <ImportDialog kind="3D avatar" onSaved={saved} onClose={close} />}
            {open instanceof File && (
              <ModelDialog file={open} onSaved={() => saved('3D avatar uploaded')} onClose={close} />
            )}
          </Suspense>
        </Card>
      )}
    </FileInput>
  )
}
