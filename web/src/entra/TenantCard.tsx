import type { ReactNode } from 'react'
import { Identicon } from '../ui/Identicon.tsx'
import { CodeFact, Fact, Facts } from './Facts.tsx'
import { type Hit, nameCloud, nameRegion, nameTenant } from './tenant.ts'

interface TenantCardProps {
  hit: Hit
  /** The domain that was asked for. */
  domain: string | null
  /** Beside the name, such as a status. */
  aside?: ReactNode
  /** More facts after the common ones. */
  facts?: ReactNode
  /** Beside the facts, on a narrow screen below them. */
  beside?: ReactNode
  children?: ReactNode
}

/** A tenant that was found: its name, and what identifies it. */
export function TenantCard({ hit, domain, aside, facts, beside, children }: TenantCardProps) {
  const name = nameTenant(hit, domain)
  return (
    <section aria-label={name} className="card">
      <header className="flex flex-wrap items-center gap-3.5 px-4 pt-4 pb-3.5 sm:px-[18px]">
        <Identicon seed={hit.tenantId} size={52} />
        <div className="min-w-0 flex-1">
          <h2 className="text-[17px] [overflow-wrap:anywhere]">{name}</h2>
          <p className="text-ink2 [overflow-wrap:anywhere]">
            {hit.defaultDomainName ?? domain ?? nameCloud(hit.cloud)}
          </p>
        </div>
        {aside}
      </header>
      <div
        className={`grid gap-4 px-4 pb-4 sm:px-[18px] ${beside ? 'nav:grid-cols-[minmax(0,1fr)_minmax(0,400px)] nav:gap-6' : ''}`}
      >
        <Facts>
          <CodeFact term="Tenant ID" text={hit.tenantId} />
          <Fact term="Cloud">{nameCloud(hit.cloud)}</Fact>
          <Fact term="Region">{nameRegion(hit)}</Fact>
          {facts}
        </Facts>
        {beside}
      </div>
      {children}
    </section>
  )
}
