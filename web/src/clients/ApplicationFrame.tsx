import { type Client, deleteClient, getClient, putClient, restoreClient } from '@passport/contract/clients'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Ban, CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { AdminBadge } from './AdminBadge.tsx'
import { ClientForm } from './ClientForm.tsx'
import { ClientStatus } from './ClientStatus.tsx'
import { Consent } from './Consent.tsx'
import { describeType, hasUsers } from './client-form.ts'

const origins = { configuration: 'From the configuration', 'built-in': 'Built-in' }
const back = { to: '/admin/identity/clients', label: 'Applications' } as const

interface ApplicationFrameProps {
  /** A card above the details. */
  lead?: (client: Client) => ReactNode
  children: (client: Client) => ReactNode
}

/** The page of an application around one of its tabs. */
export function ApplicationFrame({ lead, children }: ApplicationFrameProps) {
  const { clientId = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const client = useQuery(query(getClient, { params: { clientId } }))
  return (
    <RecordQuery query={client} kind="application" back={back}>
      {(client) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="client" size={60} />}
          name={client.clientName}
          status={
            <>
              <ClientStatus client={client} />
              {client.source !== 'console' && <Badge>Read-only</Badge>}
              <AdminBadge client={client} />
            </>
          }
          facts={[describeType(client), client.source !== 'console' && origins[client.source]]}
          actions={<Actions client={client} />}
          tabs={[
            { to: '/admin/identity/clients/$clientId', params: { clientId }, label: 'Setup' },
            { to: '/admin/identity/clients/$clientId/activity', params: { clientId }, label: 'Activity' },
          ]}
          details={[
            ['Last used', client.lastUsedAt ? <RelativeTime key="used" at={client.lastUsedAt} /> : 'Never'],
            ...(hasUsers(client) ? describeSignIn(client) : []),
            ...(client.scopes.length > 0 ? [toScopes(client)] : []),
            ['Created', <RelativeTime key="created" at={client.createdAt} />],
            ['Updated', <RelativeTime key="updated" at={client.updatedAt} />],
          ]}
          lead={lead?.(client)}
        >
          {isEditing && <ClientForm key={client.clientId} client={client} onClose={close} />}
          {children(client)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

type Detail = [label: string, value: ReactNode]

const describeSignIn = (client: Client): Detail[] => [
  ['Consent', <Consent key="consent" client={client} />],
  ['PKCE', client.pkce === 'optional' ? <Badge key="pkce">Optional</Badge> : 'Required'],
  ['Device flow', client.deviceFlow === 'pin' ? 'With a PIN' : client.deviceFlow ? 'On' : 'Off'],
  ['ID tokens', client.idTokenSigningAlg],
]

const toScopes = ({ scopes }: Client): Detail => [
  'Scopes',
  <code key="scopes" className="font-mono text-[12.5px]">
    {scopes.join(' ')}
  </code>,
]

function Actions({ client }: { client: Client }) {
  const { clientId, clientName, enabled, version } = client
  const isEditable = client.source === 'console'
  const [isDisabling, setDisabling] = useState(false)
  const copyConfig = useCopyAsConfig(isEditable ? { client } : undefined)
  const { deleteItem, dialog } = useDeleteRecord()
  const toggle = useMutation({
    mutationFn: () =>
      call(putClient, { params: { clientId }, body: { ...client, enabled: !enabled } }, { ifMatch: `"${version}"` }),
    onSuccess: () => reportSuccess(enabled ? 'Application disabled' : 'Application enabled'),
    onError: (error) => reportFailure(enabled ? 'disable the application' : 'enable the application', error),
    onSettled: () => {
      setDisabling(false)
      void queryClient.invalidateQueries({ queryKey: [getClient.path] })
    },
  })
  if (!isEditable) return <PageMenu isOfRecord />
  return (
    <>
      <EditButton />
      <PageMenu
        isOfRecord
        copyConfig={copyConfig}
        items={[
          {
            label: enabled ? 'Disable' : 'Enable',
            icon: enabled ? <Ban size={16} /> : <CircleCheck size={16} />,
            onSelect: () => (enabled ? setDisabling(true) : toggle.mutate()),
          },
          deleteItem({
            kind: 'application',
            name: clientName,
            phrase: clientId,
            consequence: 'Its users are signed out of it: its tokens and their consent are revoked.',
            restore: () => call(restoreClient, { params: { clientId } }),
            list: '/admin/identity/clients',
            affectsRoles: false,
            remove: () => call(deleteClient, { params: { clientId } }),
          }),
        ]}
      />
      {dialog}
      <Confirm
        isOpen={isDisabling}
        title={`Disable ${clientName}?`}
        action="Disable application"
        isBusy={toggle.isPending}
        onConfirm={() => toggle.mutate()}
        onClose={() => setDisabling(false)}
      >
        Users can't sign in to it, and its tokens stop working at once. Tokens that have not expired work again when you
        enable it.
      </Confirm>
    </>
  )
}
