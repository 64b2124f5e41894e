import {
  type Connection,
  listConnectors,
  listUserConnections,
  removeUserConnection,
} from '@passport/contract/connections'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { LoginUse } from '../app/LoginUse.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'

/** The connected accounts of a user, for administrators; nothing if there are none. */
export function UserConnections({ userId }: { userId: string }) {
  const { data: connections = [] } = useQuery(query(listUserConnections, { params: { userId } }))
  const { data: connectors = [] } = useQuery(query(listConnectors, {}))
  const [removing, setRemoving] = useState<Connection>()
  const remove = useMutation({
    mutationFn: (id: string) => call(removeUserConnection, { params: { userId, id } }),
    onSuccess: () => reportSuccess('Account removed'),
    onError: (error) => reportFailure('remove the account', error),
    onSettled: () => {
      setRemoving(undefined)
      void queryClient.invalidateQueries()
    },
  })
  const nameOf = (id?: string) => connectors.find((connector) => connector.id === id)?.name ?? id
  if (connections.length === 0) return null
  return (
    <Card title="Connected accounts">
      <ul className="px-4 pb-2 sm:px-[18px]">
        {connections.map((connection) => (
          <li key={connection.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair py-3">
            <ObjectIcon kind="other" size={32} />
            <div className="min-w-0 flex-1 basis-64">
              <p className="font-[600] break-words">
                {nameOf(connection.connector)} <span className="font-normal text-ink2">{connection.label}</span>
              </p>
              <p className="flex items-center gap-1 text-ink3">
                <code className="font-mono text-[12.5px] break-all">{connection.externalId}</code>
                <CopyButton text={`${connection.connector}:${connection.externalId}`} label="Copy external ID" />
              </p>
            </div>
            <LoginUse login={{ ...connection, lastUsedAt: null }} />
            <Button
              isSmall
              variant="danger"
              aria-label={`Remove ${nameOf(connection.connector)} ${connection.label}`}
              onClick={() => setRemoving(connection)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={removing !== undefined}
        title={`Remove ${removing?.label}?`}
        action="Remove"
        isBusy={remove.isPending}
        onConfirm={() => removing && remove.mutate(removing.id)}
        onClose={() => setRemoving(undefined)}
      >
        Apps will no longer know the account as theirs. Nothing is revoked at {nameOf(removing?.connector)}.
      </Confirm>
    </Card>
  )
}
