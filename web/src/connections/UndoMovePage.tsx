import { undoMove } from '@passport/contract/connections'
import { useMutation } from '@tanstack/react-query'
import { connectResponse } from '../app/address-secrets.ts'
import { call, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Actions, ConnectFrame, Lead, LoginsLink, useConnector } from './ConnectFrame.tsx'

/** The page of the link in the notice of a move. Opening it changes nothing, and needs no sign-in. */
export function UndoMovePage() {
  const { id, name } = useConnector()
  const undo = useMutation({
    mutationFn: () => call(undoMove, { params: { connector: id }, body: { token: connectResponse } }),
  })
  const service = name ?? 'the service'
  if (undo.isSuccess)
    return (
      <ConnectFrame title="Move undone" service={name}>
        <Lead role="status">The account at {service} is connected to you again.</Lead>
        <Actions>
          <LoginsLink>Go to your account</LoginsLink>
        </Actions>
      </ConnectFrame>
    )
  if (undo.error || connectResponse === '')
    return (
      <ConnectFrame title="Move not undone" service={name}>
        <Lead role="alert">
          {undo.error ? toFailure(undo.error).detail : 'The link is incomplete. Open it in the email again.'}
        </Lead>
        <Actions>
          <LoginsLink>Go to your account</LoginsLink>
        </Actions>
      </ConnectFrame>
    )
  return (
    <ConnectFrame title="Undo the move?" service={name}>
      <Lead>Your account at {service} was moved to another user. Undoing connects it to you again.</Lead>
      <Actions>
        <Button variant="primary" isBusy={undo.isPending} onClick={() => undo.mutate()}>
          Undo the move
        </Button>
        <LoginsLink />
      </Actions>
    </ConnectFrame>
  )
}
