import type { Client } from '@passport/contract/clients'
import type { IdentityApi } from '@passport/contract/identity-apis'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { reportFailure } from '../app/messages.ts'
import { AddDialog } from '../directory/AddDialog.tsx'
import { CardRow, CardText } from '../directory/CardRows.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { saveApi } from './api-form.ts'
import { searchApplications } from './search-applications.ts'
import { useApplications } from './use-applications.ts'

/** The applications that get tokens of an API, and those that may introspect them. */
export function AccessCards({ api }: { api: IdentityApi }) {
  const { allowedClients, resourceServers, builtIn } = api
  const save = useMutation({
    mutationFn: (changes: Parameters<typeof saveApi>[1]) => saveApi(api, changes),
    onError: (error) => reportFailure('change the applications', error),
  })
  const applications = useApplications()
  const own = [...(applications?.values() ?? [])].filter(({ apis }) => apis.some(({ name }) => name === api.name))
  if (builtIn)
    return (
      <Card title="Applications">
        <CardText>Every application gets its tokens. Applications with a secret may introspect them.</CardText>
      </Card>
    )
  return (
    <>
      <Card
        title="Applications"
        action={
          <Segmented
            label="Applications that get tokens"
            value={allowedClients === null ? 'all' : 'some'}
            options={[
              { value: 'all', label: 'All' },
              { value: 'some', label: 'Selected' },
            ]}
            onChange={(value) => save.mutate({ allowedClients: value === 'all' ? null : [] })}
          />
        }
      >
        {allowedClients === null ? (
          <>
            <CardText>Every application gets tokens for the scopes that users allow.</CardText>
            {own.length > 0 && (
              <ul className="pb-1">
                {own.map((client) => (
                  <ApplicationRow key={client.clientId} clientId={client.clientId} client={client} api={api} />
                ))}
              </ul>
            )}
          </>
        ) : (
          <ApplicationList
            api={api}
            ids={allowedClients}
            applications={applications}
            empty="None. No application gets tokens."
            title="Allow applications"
            search={searchApplications}
            onChange={(ids) => save.mutate({ allowedClients: ids })}
          />
        )}
      </Card>
      <Card title="Resource servers" description="Services that receive the tokens and may introspect them.">
        <ApplicationList
          ids={resourceServers}
          applications={applications}
          empty="None. Services verify tokens by their signature."
          title="Add resource servers"
          search={async (text, signal) =>
            (await searchApplications(text, signal)).map((found) =>
              found.confidential ? found : { ...found, disabledReason: 'Has no secret' },
            )
          }
          onChange={(ids) => save.mutate({ resourceServers: ids })}
        />
      </Card>
    </>
  )
}

interface ApplicationListProps {
  /** Shows the scopes of this API that the applications have of their own. */
  api?: IdentityApi
  ids: string[]
  /** By client id; undefined until they are loaded. */
  applications: ReadonlyMap<string, Client> | undefined
  empty: string
  title: string
  search: (text: string, signal: AbortSignal) => Promise<Pickable[]>
  onChange: (ids: string[]) => void
}

function ApplicationList({ api, ids, applications, empty, title, search, onChange }: ApplicationListProps) {
  const [isAdding, setAdding] = useState(false)
  const [picked, setPicked] = useState<Pickable[]>([])
  const close = () => {
    setAdding(false)
    setPicked([])
  }
  return (
    <>
      {ids.length === 0 && <CardText>{empty}</CardText>}
      <ul>
        {ids.map((id) => (
          <ApplicationRow
            key={id}
            clientId={id}
            client={applications?.get(id)}
            isPending={!applications}
            api={api}
            aside={
              <Button
                variant="ghost"
                isSmall
                aria-label={`Remove ${applications?.get(id)?.clientName ?? id}`}
                onClick={() => onChange(ids.filter((other) => other !== id))}
              >
                <X size={15} aria-hidden="true" />
              </Button>
            }
          />
        ))}
      </ul>
      <div className="px-4 pt-1 pb-4 sm:px-[18px]">
        <Button isSmall onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden="true" />
          Add
        </Button>
      </div>
      <AddDialog
        isOpen={isAdding}
        title={title}
        noun={['application', 'applications']}
        label="Applications"
        placeholder="Name or client ID"
        isListOpen
        search={async (text, signal) =>
          (await search(text, signal)).map((found) =>
            ids.includes(found.id) ? { ...found, disabledReason: 'Already added' } : found,
          )
        }
        picked={picked}
        onPick={setPicked}
        onAdd={(added) => {
          onChange([...ids, ...added.map(({ id }) => id)])
          close()
        }}
        onClose={close}
      />
    </>
  )
}

interface ApplicationRowProps {
  clientId: string
  /** Undefined if it is unknown. */
  client: Client | undefined
  isPending?: boolean
  /** Shows the scopes of this API that the application has of its own. */
  api?: IdentityApi | undefined
  aside?: ReactNode
}

/** An application by its name, which keeps its height while the name is loaded. */
function ApplicationRow({ clientId, client, isPending = false, api, aside }: ApplicationRowProps) {
  return (
    <CardRow
      picture={<ObjectIcon kind="client" size={32} />}
      name={
        isPending ? (
          '\u00a0'
        ) : (
          <Link to="/admin/identity/clients/$clientId" params={{ clientId }} className="hover:underline">
            {client?.clientName ?? clientId}
          </Link>
        )
      }
      detail={<span className="font-mono text-[12.5px]">{clientId}</span>}
      tags={client?.apis.find(({ name }) => name === api?.name)?.scopes ?? []}
      aside={aside}
    />
  )
}
