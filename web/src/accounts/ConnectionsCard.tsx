import { listConnections, listConnectors } from '@passport/contract/connections'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { Card } from '../ui/Card.tsx'
import { IdentityRow } from './IdentityRow.tsx'
import { useRemoval } from './use-removal.tsx'

/** The connected accounts of the current user; nothing where there is nothing to connect. */
export function ConnectionsCard() {
  const connections = useQuery(query(listConnections, {})).data ?? []
  const connectors = useQuery(query(listConnectors, {})).data ?? []
  const [remove, dialog] = useRemoval()
  if (connectors.length + connections.length === 0) return null
  return (
    <Card
      title="Connected accounts"
      description="Apps know these accounts as yours. You can't sign in with them."
      action={
        connections.length < connectors.length && (
          <Link className="btn btn-small" to="/connect">
            Connect account
          </Link>
        )
      }
    >
      <ul className="px-4 pb-1.5 sm:px-[18px]">
        {connections.map((connection) => {
          const service = connectors.find(({ id }) => id === connection.connector)?.name ?? connection.connector
          return (
            <IdentityRow
              key={connection.id}
              picture={service.slice(0, 1)}
              name={service}
              label={connection.label}
              use={{ ...connection, lastUsedAt: null }}
              action="Remove"
              onAction={() => remove({ connection, service })}
            />
          )
        })}
      </ul>
      {dialog}
    </Card>
  )
}
