import { type Consent, listConsents, revokeConsent } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** The applications that the user has authorised, each with a button to revoke its access; nothing if there are none. */
export function ApplicationsCard() {
  const consents = useQuery(query(listConsents, {}))
  const [revoking, setRevoking] = useState<Consent>()
  if (consents.data?.length === 0) return null
  return (
    <Card title="Connected apps">
      <Loaded query={consents} label="Loading apps" rows={1}>
        {(all) => (
          <ul className="px-4 pb-1.5 sm:px-[18px]">
            {all.map((consent) => (
              <ConsentRow key={consent.id} consent={consent} onRevoke={() => setRevoking(consent)} />
            ))}
          </ul>
        )}
      </Loaded>
      <RevokeDialog consent={revoking} onDone={() => setRevoking(undefined)} />
    </Card>
  )
}

function ConsentRow({ consent, onRevoke }: { consent: Consent; onRevoke: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair py-2.5 first:border-0">
      <Avatar id={consent.client.id} name={consent.client.name} size={32} />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-[560]">{consent.client.name}</p>
        <p className="text-[13px] text-ink2">{consent.scopes.map(({ description }) => description).join(' · ')}</p>
      </div>
      <p className="text-[13px] text-ink3">
        Allowed <RelativeTime at={consent.grantedAt} inSentence />
        {consent.lastUsedAt && (
          <>
            , last used <RelativeTime at={consent.lastUsedAt} inSentence />
          </>
        )}
      </p>
      <Button isSmall variant="danger" onClick={onRevoke} aria-label={`Revoke access for ${consent.client.name}`}>
        Revoke
      </Button>
    </li>
  )
}

function RevokeDialog({ consent, onDone }: { consent: Consent | undefined; onDone: () => void }) {
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeConsent, { params: { id } }),
    onSuccess: () => {
      reportSuccess('Access revoked')
      void queryClient.invalidateQueries()
    },
    onError: (error) => reportFailure('revoke access', error),
    onSettled: onDone,
  })
  return (
    <Confirm
      isOpen={consent !== undefined}
      title={`Revoke access for ${consent?.client.name ?? ''}?`}
      action="Revoke access"
      isBusy={revoke.isPending}
      onConfirm={() => consent && revoke.mutate(consent.id)}
      onClose={onDone}
    >
      Its tokens are revoked now. You'll be asked for permission next time.
    </Confirm>
  )
}
