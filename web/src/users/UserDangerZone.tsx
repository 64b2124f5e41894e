import {
  deleteUser,
  disableUser,
  enableUser,
  lockDownUser,
  resetUser,
  restoreUser,
  signOutUser,
  type User,
} from '@passport/contract/users'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Confirm, Dialog } from '../ui/Dialog.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { nameOf } from './names.ts'

const refresh = () => void queryClient.invalidateQueries()
const formatError = (error: unknown) => toFailure(error).detail

/** Disables, signs out, locks down or deletes a user. */
export function UserDangerZone({ user }: { user: User }) {
  const { change, dialog } = usePreview()
  const [isBusy, setBusy] = useState(false)
  const params = { userId: user.id }
  const name = nameOf(user)

  async function run(action: () => Promise<unknown>) {
    setBusy(true)
    try {
      await action()
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't change the user: ${formatError(error)}` })
    }
    setBusy(false)
    refresh()
  }
  const enable = async () => {
    await call(enableUser, { params, query: {} })
    refresh()
  }
  const disable = () =>
    run(async () => {
      const result = await change((query) => call(disableUser, { params, query }), {
        title: `Disable ${name}?`,
        action: 'Disable',
      })
      if (result) void undoToast(`${name} disabled`, enable, formatError)
    })
  const lockDown = () =>
    run(async () => {
      const result = await change((query) => call(lockDownUser, { params, query }), {
        title: `Lock down ${name}?`,
        action: 'Lock down',
      })
      if (result) void toast({ type: 'success', content: `${name} locked down` })
    })
  const signOut = () =>
    run(async () => {
      const { sessions } = await call(signOutUser, { params })
      void toast({
        type: 'success',
        content: sessions === 1 ? '1 session ended' : `${sessions} sessions ended`,
      })
    })
  const isLocal = user.logins.some(({ provider }) => provider.id === 'local')

  return (
    <DangerZone>
      {user.disabled ? (
        <DangerRow
          title="Enable"
          description="The user can sign in again. Ended sessions stay ended."
          action={
            <Button isBusy={isBusy} onClick={() => void run(enable)}>
              Enable
            </Button>
          }
        />
      ) : (
        <DangerRow
          title="Disable"
          description="The user is signed out everywhere and can't sign in."
          action={
            <Button variant="danger" isBusy={isBusy} onClick={() => void disable()}>
              Disable
            </Button>
          }
        />
      )}
      <ConfirmRow
        title="Sign out everywhere"
        description="Ends all sessions and revokes all tokens. The user can sign in again."
        question={`Sign out ${name} everywhere?`}
        isBusy={isBusy}
        onConfirm={() => void signOut()}
      >
        Every browser, app and device will ask the user to sign in again.
      </ConfirmRow>
      {isLocal && <ResetPassword user={user} />}
      <ConfirmRow
        title="Lock down"
        description="Use if the account is compromised. Does all of the above at once."
        question={`Lock down ${name}?`}
        isBusy={isBusy}
        onConfirm={() => void lockDown()}
      >
        Disables the account, ends all sessions and revokes app access.
      </ConfirmRow>
      <DeleteUser user={user} change={change} />
      {dialog}
    </DangerZone>
  )
}

interface ConfirmRowProps {
  title: string
  description: string
  question: string
  isBusy: boolean
  onConfirm: () => void
  children: ReactNode
}

/** A row whose button asks for confirmation. */
function ConfirmRow({ title, description, question, isBusy, onConfirm, children }: ConfirmRowProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <DangerRow
        title={title}
        description={description}
        action={
          <Button variant="danger" isBusy={isBusy} onClick={() => setOpen(true)}>
            {title}
          </Button>
        }
      />
      <Confirm
        isOpen={isOpen}
        title={question}
        action={title}
        onConfirm={() => {
          setOpen(false)
          onConfirm()
        }}
        onClose={() => setOpen(false)}
      >
        {children}
      </Confirm>
    </>
  )
}

/** Resets the password; the new one is shown once. */
function ResetPassword({ user }: { user: User }) {
  const [password, setPassword] = useState<string>()
  const reset = async () => {
    try {
      setPassword((await call(resetUser, { params: { userId: user.id } })).password)
      refresh()
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't reset the password: ${formatError(error)}` })
    }
  }
  return (
    <>
      <ConfirmRow
        title="Reset password"
        description="For the built-in directory. Signs the user out everywhere."
        question={`Reset the password of ${nameOf(user)}?`}
        isBusy={false}
        onConfirm={() => void reset()}
      >
        Their current password stops working. We'll show you the new one once.
      </ConfirmRow>
      <Dialog isOpen={password !== undefined} title="New password" onClose={() => setPassword(undefined)}>
        <p className="mt-1.5 text-ink2">Copy it now. It won't be shown again.</p>
        <p className="mt-3 flex items-center gap-1">
          <code className="font-mono break-all">{password}</code>
          <CopyButton text={password ?? ''} label="Copy password" />
        </p>
        <div className="mt-5 flex justify-end">
          <Button onClick={() => setPassword(undefined)}>Close</Button>
        </div>
      </Dialog>
    </>
  )
}

function DeleteUser({ user, change }: { user: User; change: ReturnType<typeof usePreview>['change'] }) {
  const navigate = useNavigate()
  const [isConfirming, setConfirming] = useState(false)
  const params = { userId: user.id }
  const name = nameOf(user)
  const remove = async () => {
    setConfirming(false)
    try {
      const confirmation = { title: `Delete ${name}?`, action: 'Delete' }
      if (!(await change((query) => call(deleteUser, { params, query }), confirmation))) return
      // Navigates first: the user's page would request a deleted record.
      await navigate({ to: '/admin/users' })
      refresh()
      void undoToast(
        `${name} deleted`,
        () => call(restoreUser, { params, query: {}, body: {} }).then(refresh),
        formatError,
      )
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't delete the user: ${formatError(error)}` })
    }
  }
  return (
    <>
      <DangerRow
        title="Delete"
        description="Permanently deleted after 30 days. You can restore the user from the trash until then."
        action={
          <Button variant="danger" onClick={() => setConfirming(true)}>
            Delete…
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={isConfirming}
        title={`Delete ${name}?`}
        phrase={user.username ?? name}
        action="Delete user"
        onConfirm={() => void remove()}
        onClose={() => setConfirming(false)}
      >
        The user is signed out everywhere and removed from all groups and organisations.
      </TypeToConfirm>
    </>
  )
}
