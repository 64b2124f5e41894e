import { ApiError } from '@passport/contract/call'
import {
  type ConnectResponse,
  confirmConnection,
  metaHorizon,
  type PendingConnection,
  receiveConnection,
} from '@passport/contract/connections'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { connectResponse } from '../app/address-secrets.ts'
import { call, toFailure } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Actions, ConnectFrame, Lead, LoginsLink, NotAvailable, SignInLink, useConnector } from './ConnectFrame.tsx'

/** The response of a service: progress, then the question whether to connect its account, or the reason why not. */
export function ConnectCallbackPage() {
  const { id, name } = useConnector()
  const user = useCurrentUser()
  if (!user)
    return (
      <ConnectFrame title="You're signed out" service={name}>
        <Lead role="alert">No account was connected.</Lead>
        <SignInLink returnTo={`/app/connect/${id}`} />
      </ConnectFrame>
    )
  if (name === null) return <NotAvailable id={id} />
  if (name === undefined) return <Connecting />
  return <Response id={id} name={name} userName={user.claims.name ?? user.claims.email ?? 'you'} />
}

interface ServiceProps {
  id: string
  name: string
  userName: string
}

/** The call with the response of this document, which is accepted once. */
let received: Promise<PendingConnection> | undefined

function receive(connector: string): Promise<PendingConnection> {
  received ??= call(receiveConnection, { params: { connector }, body: readResponse(connector) })
  return received
}

function readResponse(connector: string): ConnectResponse {
  if (connector === metaHorizon) return { payload: connectResponse }
  const parameters = new URLSearchParams(connectResponse)
  const state = parameters.get('state')
  return state === null ? { payload: '' } : ({ ...Object.fromEntries(parameters), state } as ConnectResponse)
}

function Response({ id, name, userName }: ServiceProps) {
  const pending = useQuery({
    queryKey: ['connect-response', id],
    queryFn: () => receive(id),
    retry: false,
    retryOnMount: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (pending.data) return <Confirmation pending={pending.data} id={id} name={name} userName={userName} />
  if (pending.error) return <NotConnected id={id} name={name} detail={toFailure(pending.error).detail} />
  return <Connecting name={name} />
}

const Connecting = ({ name }: { name?: string }) => (
  <ConnectFrame title="Connecting your account" service={name}>
    <Lead role="status">This can take some seconds.</Lead>
    <div className="mt-6 h-11 w-full skeleton" />
  </ConnectFrame>
)

function NotConnected({ id, name, detail }: { id: string; name: string; detail: string }) {
  return (
    <ConnectFrame title="Account not connected" service={name}>
      <Lead role="alert">{detail}</Lead>
      <Actions>
        <Link className={buttonClass('primary')} to="/connect/$connector" params={{ connector: id }}>
          Try again
        </Link>
        <LoginsLink />
      </Actions>
    </ConnectFrame>
  )
}

const codeOf = (error: unknown) => (error instanceof ApiError ? error.problem?.code : undefined)

function Confirmation({ pending, id, name, userName }: ServiceProps & { pending: PendingConnection }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const confirm = useMutation({
    mutationFn: (move: boolean) =>
      call(confirmConnection, { params: { connector: id }, body: { linkId: pending.linkId, move } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      void navigate({ to: '/account/logins', search: { linked: id } as never })
    },
  })
  const code = codeOf(confirm.error)
  const isMove = code === 'external-account-in-use' || (confirm.variables === true && !confirm.error)
  if (code === 'link-expired' || code === 'link-not-found' || code === 'already-linked' || code === 'moved-recently')
    return <NotConnected id={id} name={name} detail={toFailure(confirm.error).detail} />
  return (
    <ConnectFrame
      title={isMove ? `Move ${pending.label} to your account?` : `Connect ${pending.label} to ${userName}?`}
      service={name}
    >
      <Lead>
        {isMove
          ? 'It is connected to another user, who will be notified and can undo the move for 7 days.'
          : `Apps will know this ${name} account as yours. You can remove it at any time.`}
      </Lead>
      {confirm.error && !isMove && (
        <div className="mt-5 w-full text-left">
          <ErrorCard failure={toFailure(confirm.error, 'connect the account')} />
        </div>
      )}
      <Actions>
        <Button
          variant="primary"
          isBusy={confirm.isPending || confirm.isSuccess}
          onClick={() => confirm.mutate(isMove)}
        >
          {isMove ? 'Move account' : 'Connect account'}
        </Button>
        <LoginsLink />
      </Actions>
    </ConnectFrame>
  )
}
