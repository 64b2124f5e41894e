import { type Consent, listConsents, revokeConsent } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Moment } from '../ui/Moment.tsx'
import { toast } from '../ui/toast.ts'

/** What one allowed applications, each to be taken back. */
export function ApplicationsCard() {
  const consents = useQuery(query(listConsents, {}))
  const [leaving, setLeaving] = useState<Consent>()
  return (
    <Card title="Applications" about="What you allowed others to do with your account.">
      <Loaded query={consents} label="Loading applications" rows={1}>
        {(all) =>
          all.length === 0 ? (
            <p className="px-5 pb-4 text-ink3">No application has asked you yet.</p>
          ) : (
            <ul className="px-5 pb-2">
              {all.map((consent) => (
                <ConsentRow key={consent.id} consent={consent} onTakeBack={() => setLeaving(consent)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <TakeBackDialog consent={leaving} onDone={() => setLeaving(undefined)} />
    </Card>
  )
}

function ConsentRow({ consent, onTakeBack }: { consent: Consent; onTakeBack: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-[600]">{consent.client.name}</p>
        <p className="text-ink2">{consent.scopes.map(({ description }) => description).join(' · ')}</p>
      </div>
      <p className="text-[13px] text-ink3">
        allowed <Moment at={consent.grantedAt} />
        {consent.lastUsedAt && (
          <>
            , used <Moment at={consent.lastUsedAt} />
          </>
        )}
      </p>
      <Button isSmall look="danger" onClick={onTakeBack} aria-label={`Take back what ${consent.client.name} may do`}>
        Take back
      </Button>
    </li>
  )
}

function TakeBackDialog({ consent, onDone }: { consent: Consent | undefined; onDone: () => void }) {
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeConsent, { params: { id } }),
    onSuccess: () => {
      void toast({ type: 'success', content: 'The application may do nothing more' })
      void queryClient.invalidateQueries()
    },
    onError: (error) => void toast({ type: 'error', content: `Not taken back: ${failureOf(error).detail}` }),
    onSettled: onDone,
  })
  return (
    <Confirm
      isOpen={consent !== undefined}
      title={`Take back what ${consent?.client.name ?? ''} may do?`}
      action="Take back"
      isBusy={revoke.isPending}
      onConfirm={() => consent && revoke.mutate(consent.id)}
      onClose={onDone}
    >
      Its tokens end at once. When you use it again, it asks again.
    </Confirm>
  )
}
