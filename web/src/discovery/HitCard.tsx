import { createConsentLink } from '@passport/contract/entra'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { keep } from '../app/use-kept.ts'
import { linkName } from '../entra/consent-link.ts'
import { CodeFact, Fact, Facts } from '../entra/Facts.tsx'
import { TenantCard } from '../entra/TenantCard.tsx'
import { describeConsent, type Hit } from '../entra/tenant.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { copyText } from '../ui/copy.ts'
import { Status } from '../ui/Status.tsx'

interface HitProps {
  hit: Hit
  /** The domain that was asked for. */
  domain: string | null
  /** No other cloud has the domain, so that the next step is clear. */
  isOnly: boolean
}

/** A tenant at Microsoft and in Passport, and what can be done with it. */
export function HitCard(props: HitProps) {
  const { hit, domain } = props
  return (
    <TenantCard
      hit={hit}
      domain={domain}
      beside={<Passport {...props} />}
      facts={
        <>
          {hit.namespaceType && <Fact term="Accounts">{hit.namespaceType}</Fact>}
          <CodeFact term="Issuer" text={hit.issuer} />
          <CodeFact term="Authorization" text={hit.endpoints.authorization} />
          <CodeFact term="Token" text={hit.endpoints.token} />
          <CodeFact term="Keys" text={hit.endpoints.jwks} />
        </>
      }
    >
      <details className="border-t border-hair px-4 py-2 sm:px-[18px]">
        <summary className="w-fit cursor-pointer py-1 text-[13px] text-ink2 hover:text-ink pointer-coarse:py-3">
          Raw JSON
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable with the keyboard */}
        <pre tabIndex={0} className="my-2 max-h-80 overflow-auto rounded-ctl bg-well p-3 font-mono text-[12px]">
          {JSON.stringify(hit, null, 2)}
        </pre>
      </details>
    </TenantCard>
  )
}

function Passport({ hit: { tenantId, cloud, passport }, domain, isOnly }: HitProps) {
  const [tone, label] = describeConsent(passport.consent)
  const org = passport.org
  return (
    <div className="max-nav:border-t max-nav:border-hair max-nav:pt-4 nav:border-l nav:border-hair nav:pl-6">
      <h3 className="mb-2 font-[580]">In Passport</h3>
      {org ? (
        <Facts>
          <Fact term="Organisation">{org.name}</Fact>
          <Fact term="Domain">
            <Status tone={passport.domainVerified ? 'ok' : 'off'}>
              {passport.domainVerified ? 'Verified' : 'Not verified'}
            </Status>
          </Fact>
          <Fact term="Consent">
            <Status tone={tone}>{label}</Status>
          </Fact>
          <Fact term="Sign-in">
            <Status tone={passport.signInEnabled ? 'ok' : 'off'}>
              {passport.signInEnabled ? 'Enabled' : 'Disabled'}
            </Status>
          </Fact>
        </Facts>
      ) : (
        <p className="text-ink2">No organisation has this tenant.</p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {org ? (
          <>
            <Link
              to="/admin/orgs/$orgId"
              params={{ orgId: org.id }}
              className={buttonClass(isOnly ? 'primary' : 'plain')}
            >
              Open {org.name}
            </Link>
            <CopyConsentLink orgId={org.id} />
          </>
        ) : (
          <Link
            to="/admin/orgs/createentra"
            search={{ tenant: tenantId, cloud, ...(domain && { q: domain }) } as never}
            className={buttonClass(isOnly ? 'primary' : 'plain')}
          >
            Create Entra organisation
          </Link>
        )}
      </div>
    </div>
  )
}

/** Creates a consent link, which ends the former one, and copies it. */
function CopyConsentLink({ orgId }: { orgId: string }) {
  const [isBusy, setBusy] = useState(false)
  async function copy() {
    setBusy(true)
    try {
      const link = await call(createConsentLink, { params: { orgId } })
      // The set-up of the organisation shows it in this tab.
      keep(linkName(orgId), link)
      if (await copyText(link.consentUrl)) reportSuccess('New consent link copied')
    } catch (error) {
      if (!(error instanceof Cancelled)) reportFailure('create a consent link', error)
    }
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={() => void copy()}>
      Copy consent link
    </Button>
  )
}
