import { createJoinLink, type NewJoinLink } from '@passport/contract/join'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { JoinLinkForm, type Wish } from './JoinLinkForm.tsx'
import { type JoinTarget, usesOf } from './join-target.ts'

interface JoinLinkDialogProps {
  target: JoinTarget
  isOpen: boolean
  /** The link that was just made, with its count as it is now. */
  made: NewJoinLink | undefined
  onMade: (link: NewJoinLink) => void
  onStop: (id: string) => void
  onClose: () => void
}

/** Makes a link, and shows its address this once. */
export function JoinLinkDialog({ target, isOpen, made, onMade, onStop, onClose }: JoinLinkDialogProps) {
  const title = made ? `People join ${target.name} by this link` : `Invite people to ${target.name}`
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="w-[520px]">
      {made ? <Made link={made} onStop={onStop} onClose={onClose} /> : <Making {...{ target, onMade, onClose }} />}
    </Dialog>
  )
}

function Making({ target, onMade, onClose }: Pick<JoinLinkDialogProps, 'target' | 'onMade' | 'onClose'>) {
  const { kind, targetId } = target
  const make = useMutation({
    mutationFn: (wish: Wish) => call(createJoinLink, { body: { kind, targetId, ...wish } }),
    onSuccess: onMade,
  })
  return (
    <JoinLinkForm
      kind={kind}
      error={make.error}
      isBusy={make.isPending}
      onSubmit={(wish) => make.mutate(wish)}
      onClose={onClose}
    />
  )
}

function Made({ link, onStop, onClose }: { link: NewJoinLink } & Pick<JoinLinkDialogProps, 'onStop' | 'onClose'>) {
  const [hasStopped, setStopped] = useState(false)
  const isStopped = hasStopped || link.status === 'stopped'
  return (
    <div className="mt-2 grid gap-4">
      <p className="text-ink2">Copy it now: it is shown this once and kept nowhere.</p>
      <div className="flex items-center gap-1 rounded-ctl border border-line bg-well p-3">
        <code className="min-w-0 flex-1 font-mono text-[12.5px] break-all">{link.url}</code>
        <CopyButton text={link.url} label="Copy the link" />
      </div>
      <div className="flex flex-wrap items-center gap-5">
        <div className="w-44">
          <QrCode text={link.url} label="The link as a QR code" />
        </div>
        <p role="status" className="text-[17px] font-[560]">
          {isStopped ? 'Stopped' : usesOf(link)}
        </p>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {!isStopped && (
          <Button
            look="danger"
            onClick={() => {
              setStopped(true)
              onStop(link.id)
            }}
          >
            Stop the link
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
