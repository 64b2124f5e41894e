import type { IdentityApi } from '@passport/contract/identity-apis'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { AccessCards } from './AccessCards.tsx'
import { ApiFrame } from './ApiFrame.tsx'
import { ScopesCard } from './ScopesCard.tsx'
import { TokenPreviewCard } from './TokenPreviewCard.tsx'

/** How applications get tokens of an API: its scopes, its applications, and a preview of a token. */
export function ApiPage() {
  return (
    <ApiFrame lead={(api) => <Identifiers api={api} />}>
      {(api) => (
        <>
          <ScopesCard api={api} />
          <AccessCards api={api} />
          <TokenPreviewCard key={api.id} api={api} />
        </>
      )}
    </ApiFrame>
  )
}

function Identifiers({ api: { name, audience } }: { api: IdentityApi }) {
  const identifiers = [
    ['Name', name],
    ['Audience', audience],
    ['Issuer', location.origin],
  ] as const
  return (
    <Card title="Identifiers">
      <dl className="grid gap-3 px-4 pb-4 sm:px-[18px]">
        {identifiers.map(([label, text]) => (
          <div key={label} className="min-w-0">
            <dt className="text-[13px] text-ink2">{label}</dt>
            <dd className="mt-1 flex items-center gap-1 rounded-ctl bg-well pr-1 pl-2.5">
              <code className="min-w-0 flex-1 truncate font-mono text-[12.5px]" title={text}>
                {text}
              </code>
              <CopyButton text={text} label={`Copy ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
