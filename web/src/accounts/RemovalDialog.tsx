import { type LinkedLogin, unlinkLogin } from '@passport/contract/accounts'
import { type Connection, removeConnection } from '@passport/contract/connections'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Confirm } from '../ui/Dialog.tsx'

/** A login or a connected account, with the name of its provider or service. */
export type Removal = { login: LinkedLogin } | { connection: Connection; service: string }

interface RemovalDialogProps {
  /** Undefined closes the dialog. */
  removal: Removal | undefined
  onDone: () => void
}

/** Asks before a login is unlinked, or a connected account is removed. */
export function RemovalDialog({ removal, onDone }: RemovalDialogProps) {
  const queryClient = useQueryClient()
  const isLogin = removal !== undefined && 'login' in removal
  const remove = useMutation({
    mutationFn: (removed: Removal) =>
      'login' in removed
        ? call(unlinkLogin, { params: { id: removed.login.id } })
        : call(removeConnection, { params: { id: removed.connection.id } }),
    onSuccess: (_, removed) => {
      reportSuccess('login' in removed ? 'Sign-in method unlinked' : 'Account removed')
      void queryClient.invalidateQueries()
    },
    onError: (error, removed) =>
      reportFailure('login' in removed ? 'unlink the sign-in method' : 'remove the account', error),
    onSettled: onDone,
  })
  return (
    <Confirm
      isOpen={removal !== undefined}
      title={titleOf(removal)}
      action={isLogin ? 'Unlink' : 'Remove'}
      isBusy={remove.isPending}
      onConfirm={() => removal && remove.mutate(removal)}
      onClose={onDone}
    >
      {removal && describe(removal)}
    </Confirm>
  )
}

function titleOf(removal: Removal | undefined): string {
  if (!removal) return ''
  return 'login' in removal ? `Unlink ${removal.login.provider.name}?` : `Remove ${removal.connection.label}?`
}

function describe(removal: Removal): string {
  if ('connection' in removal)
    return `Apps will no longer know the account as yours. Nothing is revoked at ${removal.service}.`
  const { label, current } = removal.login
  return `You'll no longer be able to sign in with ${label}. Sessions and tokens from it will end${current ? ', including this session' : ''}.`
}
