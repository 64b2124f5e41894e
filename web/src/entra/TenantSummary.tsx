import { Identicon } from '../ui/Identicon.tsx'
import { Status } from '../ui/Status.tsx'
import { CodeFact, Fact, Facts } from './Facts.tsx'
import { describeConsent, nameCloud } from './tenant.ts'
import type { EntraOrg } from './wizard.ts'

/** The tenant of an organisation, in the rail. */
export function TenantSummary({ org: { id, name, entra } }: { org: EntraOrg }) {
  const [tone, label] = describeConsent(entra.consent)
  return (
    <section aria-label="Organisation" className="card px-4 py-4 sm:px-[18px]">
      <div className="mb-4 flex items-center gap-3.5">
        <Identicon seed={id} size={52} />
        <div className="min-w-0">
          <p className="text-[16px] font-[620] [overflow-wrap:anywhere]">{name}</p>
          <p className="text-ink2 [overflow-wrap:anywhere]">{entra.defaultDomain ?? entra.displayName}</p>
        </div>
      </div>
      <Facts>
        <CodeFact term="Tenant ID" text={entra.tenantId} />
        <Fact term="Cloud">{nameCloud(entra.cloud)}</Fact>
        <Fact term="Consent">
          <Status tone={tone}>{label}</Status>
        </Fact>
        <Fact term="Sign-in">
          <Status tone={entra.signInEnabled ? 'ok' : 'off'}>{entra.signInEnabled ? 'Enabled' : 'Disabled'}</Status>
        </Fact>
      </Facts>
    </section>
  )
}
