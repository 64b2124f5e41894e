import { type PersonalToken, reminderDays } from '@passport/contract/personal-tokens'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'

interface PersonalTokenListProps {
  tokens: PersonalToken[]
  revoke: (tokenId: string) => Promise<unknown>
}

/** Personal tokens with their scopes, expiry and last use, and a button to revoke each that is valid. */
export function PersonalTokenList({ tokens, revoke }: PersonalTokenListProps) {
  const [asked, ask] = useState<PersonalToken>()
  const close = () => ask(undefined)
  const { mutate } = useMutation({
    mutationFn: revoke,
    onSuccess: () => reportSuccess('Token revoked'),
    onError: (error) => reportFailure('revoke the token', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  return (
    <>
      <ul className="px-4 pb-1.5 sm:px-[18px]">
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => ask(token)} />
        ))}
      </ul>
      <Confirm
        isOpen={asked !== undefined}
        title={`Revoke ${asked?.name ?? ''}?`}
        action="Revoke token"
        onConfirm={() => {
          close()
          if (asked) mutate(asked.id)
        }}
        onClose={close}
      >
        Programs that use it lose access now. This cannot be undone.
      </Confirm>
    </>
  )
}

/** The time before the expiry in which it is marked. */
const soonMs = reminderDays * 24 * 60 * 60 * 1000

function TokenRow({ token, onRevoke }: { token: PersonalToken; onRevoke: () => void }) {
  const { name, start, scopes, expiresAt } = token
  const remainingMs = Date.parse(expiresAt) - Date.now()
  return (
    <li className="flex items-start gap-x-4 border-t border-hair py-3 first:border-0">
      <ObjectIcon kind="secret" size={32} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2.5 [&_.whitespace-nowrap]:text-[13px]">
          <span className="min-w-0 font-[560] [overflow-wrap:anywhere]">{name}</span>
          <code className="font-mono text-[12.5px] text-ink3">{start}…</code>
          {remainingMs <= 0 && <Status tone="off">Expired</Status>}
          {remainingMs > 0 && remainingMs <= soonMs && <Status tone="warn">Expires soon</Status>}
        </p>
        <p className="text-[13px] text-ink2">{scopes.map(({ description }) => description).join(' · ')}</p>
        <p className="text-[13px] text-ink3">
          {remainingMs > 0 ? 'Expires ' : 'Expired '}
          <RelativeTime at={expiresAt} inSentence /> · <LastUse token={token} />
        </p>
      </div>
      {remainingMs > 0 && (
        <Button isSmall variant="danger" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      )}
    </li>
  )
}

function LastUse({ token: { lastUse } }: { token: PersonalToken }) {
  if (lastUse === null) return 'Never used'
  return (
    <>
      Last used <RelativeTime at={lastUse.at} inSentence /> from {lastUse.ip}
      {lastUse.client && ` (${lastUse.client.name})`}
    </>
  )
}
