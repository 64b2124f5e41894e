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
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { DeleteRecord } from '../directory/DeleteRecord.tsx'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Confirm, Dialog } from '../ui/Dialog.tsx'
import { nameOf } from './names.ts'

const refresh = () => void queryClient.invalidateQueries()

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
      reportFailure('change the user', error)
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
      if (result) reportWithUndo(`${name} disabled`, enable)
    })
  const lockDown = () =>
    run(async () => {
      const result = await change((query) => call(lockDownUser, { params, query }), {
        title: `Lock down ${name}?`,
        action: 'Lock down',
      })
      if (result) reportSuccess(`${name} locked down`)
    })
  const signOut = () =>
    run(async () => {
      const { sessions } = await call(signOutUser, { params })
      reportSuccess(sessions === 1 ? '1 session ended' : `${sessions} sessions ended`)
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
      <DeleteUser user={user} />
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
      reportFailure('reset the password', error)
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

function DeleteUser({ user }: { user: User }) {
  const params = { userId: user.id }
  return (
    <DeleteRecord
      kind="user"
      name={nameOf(user)}
      phrase={user.username}
      consequence="Signs the user out everywhere and removes them from all groups and organisations."
      list="/admin/users"
      remove={(query) => call(deleteUser, { params, query })}
      restore={() => call(restoreUser, { params, query: {}, body: {} })}
    />
  )
}
