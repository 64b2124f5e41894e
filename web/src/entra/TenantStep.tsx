import { ApiError } from '@passport/contract/call'
import { createEntraOrg } from '@passport/contract/entra'
import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { keep, useKept } from '../app/use-kept.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { CloudRows, CloudRowsPending } from './CloudRows.tsx'
import { type KeptLink, linkName } from './consent-link.ts'
import { StepFoot } from './StepList.tsx'
import { TenantCard } from './TenantCard.tsx'
import { TenantSearch } from './TenantSearch.tsx'
import { type Hit, listHits, nameCloud, nameTenant } from './tenant.ts'
import { useDiscovery } from './use-discovery.ts'
import { parseWizardSearch, type StepProps, type WizardSearch } from './wizard.ts'

/** The first step: finds the tenant, and creates the organisation. */
export function TenantStep() {
  const search = parseWizardSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const q = search.q ?? search.tenant ?? ''
  const { answer, askAgain, isAsking } = useDiscovery(q)
  const isPending = q !== '' && (answer.isLoading || isAsking)
  const show = (search: WizardSearch) =>
    void navigate({ to: '.', search: search as never, replace: true, resetScroll: false })
  const fieldError =
    answer.error instanceof ApiError && answer.error.status === 400
      ? (findFieldError(answer.error, 'q') ?? toFailure(answer.error).detail)
      : undefined
  return (
    <>
      <Card title="Find the tenant">
        <div className="px-4 pt-1 pb-[18px] sm:px-[18px]">
          <TenantSearch
            q={q}
            error={fieldError}
            isBusy={isPending}
            isPrimary={!answer.data || listHits(answer.data).length === 0}
            onAsk={(text) => (text === q ? void askAgain() : show({ q: text }))}
          />
        </div>
      </Card>
      {isPending && (
        <Card title="Clouds" description="Up to 5 seconds">
          <CloudRowsPending />
        </Card>
      )}
      {answer.error && !fieldError && !isPending && (
        <ErrorCard failure={toFailure(answer.error, 'find the tenant')} onRetry={() => void askAgain()} />
      )}
      <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {answer.data && !answer.error && !isPending && (
          <Found
            q={q}
            data={answer.data}
            cloud={search.cloud}
            onChoose={(cloud) => show({ ...search, cloud })}
            onRetry={() => void askAgain()}
          />
        )}
      </div>
    </>
  )
}

interface FoundProps {
  q: string
  data: TenantDiscovery
  /** The chosen cloud. */
  cloud: string | undefined
  onChoose: (cloud: string) => void
  onRetry: () => void
}

function Found({ q, data, cloud, onChoose, onRetry }: FoundProps) {
  const hits = listHits(data)
  const isConfigured = data.results.some(({ configured }) => configured)
  const isUnreachable = data.results.some(({ configured, found }) => configured && found === null)
  const chosen = hits.length === 1 ? hits[0] : hits.find((hit) => hit.cloud === cloud)
  if (!isConfigured)
    return (
      <Card title="Microsoft Entra isn't configured">
        <p className="px-4 pb-4 text-ink2 sm:px-[18px]">
          Ask the operator of this server to set <code className="font-mono text-[12.5px]">ENTRA_CLOUDS</code>.
        </p>
      </Card>
    )
  return (
    <>
      {hits.length === 0 && (
        <Card title={`No tenant found for ${data.normalizedDomain ?? q}`}>
          <p className="px-4 pb-3 text-ink2 sm:px-[18px]">
            {isUnreachable
              ? 'A cloud did not answer, so the tenant may exist.'
              : 'Check the spelling, or ask the customer for their tenant ID.'}
          </p>
          <CloudRows results={data.results} />
          {isUnreachable && (
            <p className="border-t border-hair px-4 py-3 sm:px-[18px]">
              <Button isSmall onClick={onRetry}>
                Try again
              </Button>
            </p>
          )}
        </Card>
      )}
      {hits.length > 1 && <CloudChoice hits={hits} cloud={cloud} onChoose={onChoose} />}
      {hits.length === 1 && isUnreachable && (
        <Notice>Another cloud did not answer. It may have this domain too.</Notice>
      )}
      {chosen && <Creation key={chosen.tenantId} hit={chosen} domain={data.normalizedDomain} />}
    </>
  )
}

const Notice = ({ children }: { children: ReactNode }) => (
  <p className="card border-l-3 border-l-warn px-4 py-3 [overflow-wrap:anywhere]">{children}</p>
)

function CloudChoice({ hits, cloud, onChoose }: { hits: Hit[] } & Pick<FoundProps, 'cloud' | 'onChoose'>) {
  return (
    <Card title="Choose the cloud" description="Several clouds have this domain. Ask the customer which one they use.">
      <fieldset className="grid px-4 pb-3 sm:px-[18px]">
        <legend className="sr-only">Cloud</legend>
        {hits.map((hit) => (
          <Check
            key={hit.cloud}
            type="radio"
            name="cloud"
            checked={hit.cloud === cloud}
            onChange={() => onChoose(hit.cloud)}
          >
            <span>
              {nameCloud(hit.cloud)} <span className="text-ink3">{hit.tenantId}</span>
            </span>
          </Check>
        ))}
      </fieldset>
    </Card>
  )
}

/** The found tenant, with the name of its organisation. */
function Creation({ hit, domain }: { hit: Hit; domain: string | null }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [ownName, setName] = useKept<string>(`entra-name:${hit.tenantId}`)
  const name = ownName ?? nameTenant(hit, domain)
  const created = useMutation({
    mutationFn: () =>
      call(createEntraOrg, {
        body: {
          // A domain serves as the name until the consent.
          ...(domain ? { domain } : { tenantId: hit.tenantId }),
          cloud: hit.cloud,
          ...(ownName && { name: ownName.trim() }),
        },
      }),
    onSuccess: async ({ org, consentUrl, expiresAt }) => {
      const link: KeptLink = { consentUrl, expiresAt }
      keep(linkName(org.id), link)
      setName(undefined)
      void queryClient.invalidateQueries()
      // Back returns to this step, which then has the organisation.
      await navigate({ to: '.', search: { org: org.id, step: 'tenant' } as never, replace: true })
      void navigate({ to: '.', search: { org: org.id, step: 'consent' } as never })
    },
  })
  const org = hit.passport.org
  if (org)
    return (
      <TenantCard hit={hit} domain={domain}>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3 border-t border-hair px-4 py-4 sm:px-[18px]">
          <p className="min-w-0 flex-1">This tenant belongs to {org.name}.</p>
          <Link to="/admin/orgs/$orgId" params={{ orgId: org.id }} className={buttonClass('primary')}>
            Open {org.name}
          </Link>
        </div>
      </TenantCard>
    )
  const nameError = findFieldError(created.error, 'name')
  return (
    <>
      <TenantCard hit={hit} domain={domain}>
        <form
          className="border-t border-hair px-4 py-4 sm:px-[18px]"
          id="create-entra"
          onSubmit={(event) => {
            event.preventDefault()
            created.mutate()
          }}
        >
          <Field
            label="Name in Passport"
            autoComplete="off"
            hint={
              hit.displayName === null &&
              "With the consent, the tenant's own name takes its place unless you change it."
            }
            value={name}
            error={nameError}
            onChange={({ target }) => setName(target.value)}
          />
        </form>
      </TenantCard>
      {created.error && !nameError && <CreationFailure error={created.error} onRetry={() => created.mutate()} />}
      <StepFoot
        action="Create and continue"
        isBusy={created.isPending}
        isBlocked={name.trim() === ''}
        onContinue={() => created.mutate()}
      />
    </>
  )
}

/** A failure, with a link to the organisation that has the tenant. */
function CreationFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { orgId, orgDeletedAt } = (error instanceof ApiError ? error.body : {}) as {
    orgId?: string
    orgDeletedAt?: string
  }
  if (!orgId) return <ErrorCard failure={toFailure(error, 'create the organisation')} onRetry={onRetry} />
  return (
    <div role="alert" className="card flex flex-wrap items-center gap-3 px-4 py-3">
      <p className="min-w-0 flex-1">{toFailure(error).detail}</p>
      {orgDeletedAt ? (
        <Link to="/admin/trash" className={buttonClass()}>
          Open the trash
        </Link>
      ) : (
        <Link to="/admin/orgs/$orgId" params={{ orgId }} className={buttonClass()}>
          Open organisation
        </Link>
      )}
    </div>
  )
}

/** The first step of an organisation that exists: its tenant stays the same. */
export function CreatedTenantStep({ org: { entra }, onGo }: StepProps) {
  return (
    <>
      <Card title="Tenant found">
        <p className="px-4 pb-4 text-ink2 sm:px-[18px]">
          {entra.displayName} is created, and keeps its tenant. For another tenant,{' '}
          <Link to="/admin/orgs/createentra" className="link">
            create another organisation
          </Link>
          .
        </p>
      </Card>
      <StepFoot action="Continue" onContinue={() => onGo('consent')} />
    </>
  )
}
