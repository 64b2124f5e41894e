import type { Client } from '@passport/contract/clients'
import { includesAdminScope } from '@passport/contract/endpoint'
import { useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { ApisCard } from './ApisCard.tsx'
import { ApplicationFrame } from './ApplicationFrame.tsx'
import { type QuickStartLanguage, quickStartLanguages, writeSignIn, writeTokenRequest } from './quick-start.ts'
import { SecretsCard } from './SecretsCard.tsx'
import { SignInTestCard } from './SignInTestCard.tsx'

/** How to connect an application: the code, its URIs and its secrets. */
export function ApplicationPage() {
  return (
    <ApplicationFrame lead={(client) => <Credentials client={client} />}>
      {(client) => (
        <>
          {client.source === 'console' && client.confidential && <SecretsCard key={client.clientId} client={client} />}
          <QuickStart client={client} />
          {client.redirectUris.length > 0 && (
            <SignInTestCard key={`${client.clientId} ${client.version}`} client={client} />
          )}
          <ApisCard client={client} />
          <UrisCard client={client} />
        </>
      )}
    </ApplicationFrame>
  )
}

function Credentials({ client: { clientId } }: { client: Client }) {
  return (
    <Card title="Credentials">
      <dl className="grid gap-3 px-4 pb-4 sm:px-[18px]">
        <Copyable label="Client ID" text={clientId} />
        <Copyable label="Issuer" text={location.origin} />
      </dl>
    </Card>
  )
}

function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-ink2">{label}</dt>
      <dd className="mt-1 flex items-center gap-1 rounded-ctl bg-well pr-1 pl-2.5">
        <code className="min-w-0 flex-1 truncate font-mono text-[12.5px]">{text}</code>
        <CopyButton text={text} label={`Copy ${label}`} />
      </dd>
    </div>
  )
}

function QuickStart({ client }: { client: Client }) {
  const [language, setLanguage] = useState<QuickStartLanguage>('Node.js')
  const { clientId, redirectUris, confidential, deviceFlow, apis } = client
  // A token is for one API.
  const scopes = client.scopes.length > 0 ? client.scopes : (apis[0]?.scopes ?? [])
  const values = {
    issuer: location.origin,
    clientId,
    redirectUri: redirectUris[0],
    isConfidential: confidential,
    scopes,
  }
  if (redirectUris.length === 0 && deviceFlow !== false) return null
  const hasUsers = redirectUris.length > 0
  const code = hasUsers ? writeSignIn(language, values) : writeTokenRequest(values)
  return (
    <Card
      title="Quick start"
      description={
        hasUsers
          ? 'Filled in for this application.'
          : `A token for the application itself${client.scopes.length > 0 ? `, valid for ${includesAdminScope(scopes) ? '10 minutes' : 'an hour'}` : ''}.`
      }
      action={
        hasUsers && (
          <Segmented
            label="Language"
            value={language}
            options={quickStartLanguages.map((value) => ({ value, label: value }))}
            onChange={setLanguage}
          />
        )
      }
    >
      <div className="px-4 pb-4 sm:px-[18px]">
        <CodeBlock label="code" text={code} />
        {hasUsers && (
          <p className="mt-2 text-[13px] text-ink2">
            The{' '}
            <a className="link" href="/docs/your-first-client">
              guide
            </a>{' '}
            goes through it step by step.
          </p>
        )}
      </div>
    </Card>
  )
}

function UrisCard({ client: { redirectUris, postLogoutRedirectUris, backchannelLogoutUri } }: { client: Client }) {
  const lists: [label: string, uris: string[]][] = [
    ['Redirect URIs', redirectUris],
    ['After signing out', postLogoutRedirectUris],
    ['Back-channel logout', backchannelLogoutUri ? [backchannelLogoutUri] : []],
  ]
  const shown = lists.filter(([, uris]) => uris.length > 0)
  if (shown.length === 0) return null
  return (
    <Card title="URIs">
      <dl className="grid gap-4 px-4 pb-4 sm:px-[18px]">
        {shown.map(([label, uris]) => (
          <div key={label}>
            <dt className="text-[13px] text-ink2">{label}</dt>
            {uris.map((uri) => (
              <dd key={uri} className="flex items-center gap-1">
                <code className="min-w-0 font-mono text-[13px] [overflow-wrap:anywhere]">{uri}</code>
                <CopyButton text={uri} label={`Copy ${uri}`} />
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </Card>
  )
}
