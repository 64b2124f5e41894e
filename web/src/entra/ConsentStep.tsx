import { getOrgEntra } from '@passport/contract/entra'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { query, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Note } from '../ui/Note.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ConsentLink } from './ConsentLink.tsx'
import { explainFailure } from './consent-link.ts'
import { Permissions } from './Permissions.tsx'
import { StepFoot } from './StepList.tsx'
import type { StepProps } from './wizard.ts'

const pollMs = 5000

/** The second step: a link for an administrator of the tenant. It waits for their consent and then moves on. */
export function ConsentStep({ org: saved, onGo }: StepProps) {
  const queryClient = useQueryClient()
  const poll = useQuery({
    ...query(getOrgEntra, { params: { orgId: saved.id } }),
    // Hidden tabs do not poll.
    refetchInterval: ({ state }) => (state.data?.consent === 'granted' ? false : pollMs),
  })
  const entra = poll.data ?? saved.entra
  const isGranted = entra.consent === 'granted'
  const wasGranted = useRef(isGranted)
  const moveOn = useRef(onGo)
  moveOn.current = onGo
  useEffect(() => {
    if (!isGranted || wasGranted.current) return
    wasGranted.current = true
    reportSuccess('Consent granted')
    void queryClient.invalidateQueries().then(() => moveOn.current('groups'))
  }, [isGranted, queryClient])
  const { displayName, consentFailure } = entra
  return (
    <>
      <Card title={`Ask an administrator of ${displayName} to consent`}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          {isGranted ? (
            <Note icon={<CircleCheck size={18} className="text-ok" />} title="Consent granted">
              {entra.consentedAt && <RelativeTime at={entra.consentedAt} />}
            </Note>
          ) : (
            <>
              <p className="text-ink2">
                Send this link to someone with the Entra role Cloud Application Administrator or higher. It works once.
              </p>
              <ConsentLink org={{ ...saved, entra }} waiting={<Waiting name={displayName} />} />
              <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden">
                {consentFailure && (
                  <Note icon={<CircleAlert size={18} className="text-bad" />} title="Consent failed">
                    {explainFailure(consentFailure.code, consentFailure.permission)}{' '}
                    <RelativeTime at={consentFailure.at} />
                  </Note>
                )}
                {entra.consent === 'revoked' && (
                  <Note icon={<CircleAlert size={18} className="text-bad" />} title="Consent was revoked">
                    {displayName} removed Passport at Microsoft. A new consent restores it.
                  </Note>
                )}
              </div>
            </>
          )}
          {poll.error && (
            <ErrorCard failure={toFailure(poll.error, 'check the consent')} onRetry={() => void poll.refetch()} />
          )}
        </div>
      </Card>
      <Permissions name={displayName} />
      <StepFoot
        onBack={() => onGo('tenant')}
        action="Continue"
        isBlocked={!isGranted}
        onContinue={() => onGo('groups')}
      />
    </>
  )
}

const Waiting = ({ name }: { name: string }) => (
  <Note
    isActive
    icon={<LoaderCircle size={18} className="animate-spin text-stamp motion-reduce:animate-none" />}
    title="Waiting for consent"
  >
    Checked every 5 seconds. You can leave this page; {name} stays in the list.
  </Note>
)
