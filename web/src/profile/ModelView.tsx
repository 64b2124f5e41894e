import type { Avatar } from '@passport/contract/avatar'
import { Rotate3d } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ModelIcon, Stage } from './Stage.tsx'

const TurntableView = lazyPart(async () => (await import('./TurntableView.tsx')).TurntableView)

interface ModelViewProps {
  name: string
  avatar: Pick<Avatar, 'pngUrl' | 'pngSource'> & { glbUrl: string }
}

/** The picture of a model, and on request its turntable, whose code is loaded only then. */
export function ModelView({ name, avatar: { glbUrl, pngUrl, pngSource } }: ModelViewProps) {
  const [isOpen, setOpen] = useState(false)
  const poster = (
    <div className="grid gap-3">
      <Stage isBusy={isOpen}>
        {pngUrl && pngSource === 'poster' ? <img src={pngUrl} alt="" className="relative w-full" /> : <ModelIcon />}
      </Stage>
      {/* The slider takes its place, at the same height. */}
      <Button disabled={isOpen} onClick={() => setOpen(true)}>
        <Rotate3d size={16} aria-hidden="true" /> View in 3D
      </Button>
    </div>
  )
  if (!isOpen) return poster
  return (
    <Suspense fallback={poster}>
      <TurntableView url={glbUrl} label={`3D avatar of ${name}`} />
    </Suspense>
  )
}
