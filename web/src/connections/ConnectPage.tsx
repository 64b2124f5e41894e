import { listConnections, listConnectors, startConnection } from '@passport/contract/connections'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { useCurrentUser } from '../app/page-user.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Status } from '../ui/Status.tsx'
import { Actions, ConnectFrame, Lead, LoginsLink, NotAvailable, SignInLink, useConnector } from './ConnectFrame.tsx'

/** The connected accounts of the current user; none while signed out. */
function useConnections() {
  const user = useCurrentUser()
  const { data } = useQuery({ ...query(listConnections, {}), enabled: user !== null })
  return { user, connections: user ? data : [] }
}

/** The services to connect, with the account that the user has connected. */
export function ConnectPage() {
  const { user, connections } = useConnections()
  const connectors = useQuery(query(listConnectors, {}))
  const isEmpty = connectors.data?.length === 0
  return (
    <ConnectFrame title="Connect an account">
      <Lead>{isEmpty ? 'There is nothing to connect.' : 'Apps then know which account at a service is yours.'}</Lead>
      {!isEmpty && (
        <div className="mt-5 w-full rounded-box border border-line text-left">
          <Loaded query={connectors} label="Loading services" rows={1}>
            {(all) => (
              <ul className="px-4">
                {all.map(({ id, name }) => {
                  const connection = connections?.find(({ connector }) => connector === id)
                  return (
                    <li
                      key={id}
                      className="flex min-h-14 items-center gap-4 border-t border-hair py-2.5 first:border-0"
                    >
                      <div className="min-w-0 flex-1">
                        <p className="font-[560]">{name}</p>
                        {connection && <p className="text-[13px] break-words text-ink2">{connection.label}</p>}
                      </div>
                      {connection && <Status tone="ok">Connected</Status>}
                      {user && connections && !connection && (
                        <Link
                          className={buttonClass('plain', true)}
                          to="/connect/$connector"
                          params={{ connector: id }}
                          aria-label={`Connect ${name}`}
                        >
                          Connect
                        </Link>
                      )}
                    </li>
                  )
                })}
              </ul>
            )}
          </Loaded>
        </div>
      )}
      {user ? (
        <Actions>
          <LoginsLink>Go to your account</LoginsLink>
        </Actions>
      ) : (
        <SignInLink returnTo="/app/connect" />
      )}
    </ConnectFrame>
  )
}

/** The question before the user leaves for a service. */
export function ConnectServicePage() {
  const { id, name } = useConnector()
  const { user, connections } = useConnections()
  const start = useMutation({
    mutationFn: () => call(startConnection, { params: { connector: id } }),
    onSuccess: ({ authorizationUrl }) => location.assign(authorizationUrl),
  })
  if (name === null) return <NotAvailable id={id} />
  const connection = connections?.find(({ connector }) => connector === id)
  if (connection)
    return (
      <ConnectFrame title={`${name} is connected`} service={name}>
        <Lead>Your account there is {connection.label}. To connect another one, remove it first in your account.</Lead>
        <Actions>
          <LoginsLink>Go to your account</LoginsLink>
        </Actions>
      </ConnectFrame>
    )
  return (
    <ConnectFrame title={`Connect your ${name ?? ''} account`} service={name}>
      <Lead>{name ?? 'The service'} shares the ID and the name of your account. It is not a way to sign in.</Lead>
      {start.error && (
        <div className="mt-5 w-full text-left">
          <ErrorCard failure={toFailure(start.error, 'start')} />
        </div>
      )}
      {user ? (
        <Actions>
          <Button
            variant="primary"
            isBusy={start.isPending || start.isSuccess}
            disabled={!name || !connections}
            onClick={() => start.mutate()}
          >
            Continue
          </Button>
          <LoginsLink />
        </Actions>
      ) : (
        <SignInLink returnTo={`/app/connect/${id}`} />
      )}
    </ConnectFrame>
  )
}
