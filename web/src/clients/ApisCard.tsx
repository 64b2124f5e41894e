import type { Client } from '@passport/contract/clients'
import { type IdentityApi, listIdentityApis } from '@passport/contract/identity-apis'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { CardRow, CardRows } from '../directory/CardRows.tsx'
import { Card } from '../ui/Card.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Status } from '../ui/Status.tsx'

/** The APIs of an application: those of which it has scopes of its own, and those that name it. */
export function ApisCard({ client }: { client: Client }) {
  const list = useQuery(query(listIdentityApis, { query: { limit: 200 } }))
  const rows = (list.data?.items ?? []).flatMap((api) => {
    const scopes = client.apis.find(({ name }) => name === api.name)?.scopes ?? []
    const uses = describeUses(api, client.clientId)
    const isRefused = scopes.length > 0 && api.allowedClients?.includes(client.clientId) === false
    return scopes.length > 0 || uses.length > 0 ? [{ api, scopes, uses, isRefused }] : []
  })
  if (rows.length === 0) return null
  return (
    <Card title="APIs">
      <CardRows>
        {rows.map(({ api, scopes, uses, isRefused }) => (
          <CardRow
            key={api.id}
            picture={<ObjectIcon kind="identity-api" size={32} />}
            name={
              <Link to="/admin/identity/apis/$apiId" params={{ apiId: api.id }} className="hover:underline">
                {api.displayName}
              </Link>
            }
            detail={[scopes.length > 0 && 'Scopes of its own', ...uses].filter(Boolean).join(' · ')}
            tags={scopes}
            aside={api.enabled ? isRefused && 'Not allowed' : <Status tone="off">Disabled</Status>}
          />
        ))}
      </CardRows>
    </Card>
  )
}

/** Lists what an API that names the application lets it do. */
const describeUses = ({ allowedClients, resourceServers }: IdentityApi, clientId: string): string[] => [
  ...(allowedClients?.includes(clientId) ? ['Allowed by name'] : []),
  ...(resourceServers.includes(clientId) ? ['Introspects its tokens'] : []),
]
