import * as api from '@passport/contract/setup'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, ExternalLink, LoaderCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { toFailure } from '../app/api.ts'
import { useKept } from '../app/use-kept.ts'
import { explainFailure, findLinkState, formatRest, type KeptLink, linkName } from '../entra/consent-link.ts'
import { Permissions } from '../entra/Permissions.tsx'
import { StepFoot } from '../entra/StepList.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Note } from '../ui/Note.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { useNow } from '../ui/use-now.ts'
import { setupCall, setupQuery } from './call.ts'
import type { StepProps } from './steps.ts'

const pollMs = 5000

/** The first step: the administrator consents for the tenant, in a tab of its own. This page waits for it. */
export function ConsentStep({ state, onGo }: StepProps) {
  const { tenant, org } = state
  const queryClient = useQueryClient()
  const [link, setLink] = useKept<KeptLink>(linkName(org.id))
  const now = useNow()
  const isGranted = tenant.consent === 'granted'
  const linkState = findLinkState(tenant, link, now)
  const isOpen = !isGranted && linkState === 'shown'
  // A link that somebody else created may be answered too.
  useQuery({ ...setupQuery, refetchInterval: isGranted ? false : pollMs })
  const create = useMutation({
    mutationFn: async (tab: Window | null) => {
      const created = await setupCall(api.createSetupConsentLink, {}).catch((error: unknown) => {
        tab?.close()
        throw error
      })
      setLink(created)
      // The page of Microsoft cannot reach this one.
      if (tab) {
        tab.opener = null
        tab.location.href = created.consentUrl
      }
      await queryClient.invalidateQueries(setupQuery)
    },
  })
  const wasGranted = useRef(isGranted)
  const moveOn = useRef(onGo)
  moveOn.current = onGo
  useEffect(() => {
    if (!isGranted || wasGranted.current) return
    wasGranted.current = true
    moveOn.current('groups')
  }, [isGranted])
  const failure = tenant.consentFailure
  return (
    <>
      <Card title={`Consent for ${tenant.displayName}`}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          {isGranted ? (
            <Note icon={<CircleCheck size={18} className="text-ok" />} title="Consent granted">
              {tenant.consentedAt && <RelativeTime at={tenant.consentedAt} />}
            </Note>
          ) : (
            <>
              <p className="text-ink2">
                You need the Entra role Cloud Application Administrator or higher. The page opens at Microsoft.
              </p>
              <div className="flex flex-wrap items-center gap-3">
                {/* A tab that opens before the response is not blocked. */}
                <Button
                  variant={isOpen ? 'plain' : 'primary'}
                  isBusy={create.isPending}
                  onClick={() => create.mutate(window.open('about:blank', '_blank'))}
                >
                  <ExternalLink size={16} /> {isOpen ? 'Open again' : 'Open consent page'}
                </Button>
                {isOpen && link && (
                  <span className="flex items-center gap-1 text-[13px] text-ink2">
                    <CopyButton text={link.consentUrl} label="Copy consent link" />
                    for a colleague, {formatRest(link.expiresAt, now)} left
                  </span>
                )}
              </div>
              {create.error && <ErrorCard failure={toFailure(create.error, 'create the consent link')} />}
              <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden">
                {isOpen && (
                  <Note
                    isActive
                    icon={<LoaderCircle size={18} className="animate-spin text-stamp motion-reduce:animate-none" />}
                    title="Waiting for consent"
                  >
                    This page continues by itself.
                  </Note>
                )}
                {failure && (
                  <Note icon={<CircleAlert size={18} className="text-bad" />} title="Consent failed">
                    {explainFailure(failure.code, failure.permission)} <RelativeTime at={failure.at} />
                  </Note>
                )}
                {tenant.consent === 'revoked' && (
                  <Note icon={<CircleAlert size={18} className="text-bad" />} title="Consent was revoked">
                    A new consent restores it.
                  </Note>
                )}
              </div>
            </>
          )}
        </div>
      </Card>
      <Permissions name={tenant.displayName} />
      {isGranted && <StepFoot action="Continue" onContinue={() => onGo('groups')} />}
    </>
  )
}
