import { createConsentLink } from '@passport/contract/entra'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, Clock, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { brandName } from '../app/brand.ts'
import { reportFailure } from '../app/messages.ts'
import { useKept } from '../app/use-kept.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { useCopy } from '../ui/use-copy.ts'
import { useNow } from '../ui/use-now.ts'
import { findLinkState, formatRest, type KeptLink, linkName, writeMail } from './consent-link.ts'
import type { EntraOrg } from './wizard.ts'

interface ConsentLinkProps {
  org: EntraOrg
  /** Shown while a link is open. */
  waiting?: ReactNode
}

/** The consent link with its expiry, a mail text, and a button for a new link. */
export function ConsentLink({ org: { id, entra }, waiting }: ConsentLinkProps) {
  const [link, setLink] = useKept<KeptLink>(linkName(id))
  const now = useNow()
  const queryClient = useQueryClient()
  const renew = useMutation({
    mutationFn: () => call(createConsentLink, { params: { orgId: id } }),
    onSuccess: async (created) => {
      setLink(created)
      await queryClient.invalidateQueries()
    },
    onError: (error) => reportFailure('create a link', error),
  })
  const state = findLinkState(entra, link, now)
  const newLink = (isPrimary: boolean) => (
    <Button
      isSmall={!isPrimary}
      variant={isPrimary ? 'primary' : 'plain'}
      isBusy={renew.isPending}
      onClick={() => renew.mutate()}
    >
      New link
    </Button>
  )
  if (state === 'shown' && link)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <LinkLine url={link.consentUrl} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-ink2">
          <span role="timer" className="inline-flex items-center gap-1.5 tabular-nums">
            <Clock size={15} aria-hidden="true" />
            Expires in {formatRest(link.expiresAt, now)}
          </span>
          {newLink(false)}
        </div>
        <MailText text={writeMail(entra, link, brandName)} />
        {waiting}
      </div>
    )
  const sentences = {
    none: 'There is no open link.',
    expired: 'The link has expired.',
    hidden: 'A link is open, but only the tab that created it can show it. A new link ends it.',
    shown: '',
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <p role="status" className="min-w-0 flex-1 basis-60">
          {sentences[state]}
        </p>
        {newLink(true)}
      </div>
      {state === 'hidden' && waiting}
    </div>
  )
}

function LinkLine({ url }: { url: string }) {
  const { isCopied, copy } = useCopy(url)
  return (
    <div className="flex flex-wrap gap-2">
      <code
        className="min-w-0 flex-1 basis-48 truncate rounded-ctl border border-line bg-well px-3 py-2 font-mono text-[12.5px]"
        title={url}
      >
        {url}
      </code>
      <Button variant="primary" onClick={() => void copy()}>
        {isCopied ? <Check size={16} /> : <Copy size={16} />}
        Copy link
        <span className="sr-only" aria-live="polite">
          {isCopied ? 'Copied' : ''}
        </span>
      </Button>
    </div>
  )
}

function MailText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer py-1 text-[13px] text-ink2 hover:text-ink pointer-coarse:py-3">
        Email text
      </summary>
      <div className="relative mt-1">
        <TextArea label="Email text" isLabelHidden readOnly rows={9} className="pr-11" value={text} />
        <span className="absolute top-1 right-1 bg-card">
          <CopyButton text={text} label="Copy email text" />
        </span>
      </div>
    </details>
  )
}
