import { type CreatedJoinLink, createJoinLink } from '@passport/contract/join'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { JoinLinkForm, type JoinLinkSettings } from './JoinLinkForm.tsx'
import { formatUses, type JoinTarget } from './join-target.ts'

interface JoinLinkDialogProps {
  target: JoinTarget
  isOpen: boolean
  /** The newly created link, with its current count. */
  created: CreatedJoinLink | undefined
  onCreated: (link: CreatedJoinLink) => void
  onRevoke: (id: string) => void
  onClose: () => void
}

/** Creates a join link and shows its URL once. */
export function JoinLinkDialog({ target, isOpen, created, onCreated, onRevoke, onClose }: JoinLinkDialogProps) {
  const title = created ? `Join link for ${target.name}` : `Create join link for ${target.name}`
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="w-[520px]">
      {created ? (
        <CreatedLink link={created} onRevoke={onRevoke} onClose={onClose} />
      ) : (
        <CreateLink {...{ target, onCreated, onClose }} />
      )}
    </Dialog>
  )
}

function CreateLink({ target, onCreated, onClose }: Pick<JoinLinkDialogProps, 'target' | 'onCreated' | 'onClose'>) {
  const { kind, targetId } = target
  const create = useMutation({
    mutationFn: (settings: JoinLinkSettings) => call(createJoinLink, { body: { kind, targetId, ...settings } }),
    onSuccess: onCreated,
  })
  return (
    <JoinLinkForm
      kind={kind}
      error={create.error}
      isBusy={create.isPending}
      onSubmit={(settings) => create.mutate(settings)}
      onClose={onClose}
    />
  )
}

function CreatedLink({
  link,
  onRevoke,
  onClose,
}: { link: CreatedJoinLink } & Pick<JoinLinkDialogProps, 'onRevoke' | 'onClose'>) {
  const [wasRevokedHere, setRevokedHere] = useState(false)
  const isRevoked = wasRevokedHere || link.status === 'stopped'
  return (
    <div className="mt-2 grid gap-4">
      <p className="text-ink2">Copy the link now. It won't be shown again.</p>
      <div className="flex items-center gap-1 rounded-ctl border border-line bg-well p-3">
        <code className="min-w-0 flex-1 font-mono text-[12.5px] break-all">{link.url}</code>
        <CopyButton text={link.url} label="Copy link" />
      </div>
      <div className="flex flex-wrap items-center gap-5">
        <div className="w-44">
          <QrCode text={link.url} label="QR code of the link" />
        </div>
        <p role="status" className="text-[17px] font-[560]">
          {isRevoked ? 'Revoked' : formatUses(link)}
        </p>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {!isRevoked && (
          <Button
            variant="danger"
            onClick={() => {
              setRevokedHere(true)
              onRevoke(link.id)
            }}
          >
            Revoke link
          </Button>
        )}
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
