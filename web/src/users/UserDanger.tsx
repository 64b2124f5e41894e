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
import { call, failureOf } from '../app/api.ts'
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
const whyNot = (error: unknown) => failureOf(error).detail

/** What shuts a person out, a little or for good. */
export function UserDanger({ user }: { user: User }) {
  const { change, dialog } = usePreview()
  const [isBusy, setBusy] = useState(false)
  const params = { userId: user.id }
  const name = nameOf(user)

  async function run(work: () => Promise<unknown>) {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      void toast({ type: 'error', content: `Not done: ${whyNot(error)}` })
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
      const done = await change((query) => call(disableUser, { params, query }), {
        title: `Disable ${name}?`,
        action: 'Disable',
      })
      if (done) void undoToast(`${name} is disabled`, enable, whyNot)
    })
  const lockDown = () =>
    run(async () => {
      const done = await change((query) => call(lockDownUser, { params, query }), {
        title: `Lock ${name} down?`,
        action: 'Lock down',
      })
      if (done) void toast({ type: 'success', content: `${name} is locked down` })
    })
  const signOut = () =>
    run(async () => {
      const { sessions } = await call(signOutUser, { params })
      void toast({
        type: 'success',
        content: sessions === 1 ? 'One session is ended' : `${sessions} sessions are ended`,
      })
    })
  const isLocal = user.logins.some(({ provider }) => provider.id === 'local')

  return (
    <DangerZone>
      {user.disabled ? (
        <DangerRow
          title="Enable"
          about="They can sign in again. Sessions that were ended stay so."
          action={
            <Button isBusy={isBusy} onClick={() => void run(enable)}>
              Enable
            </Button>
          }
        />
      ) : (
        <DangerRow
          title="Disable"
          about="They cannot sign in any more, and are signed out everywhere at once."
          action={
            <Button look="danger" isBusy={isBusy} onClick={() => void disable()}>
              Disable
            </Button>
          }
        />
      )}
      <Asking
        title="Sign out everywhere"
        about="Ends sessions, tokens and devices. They can sign in again."
        question={`Sign ${name} out everywhere?`}
        isBusy={isBusy}
        onConfirm={() => void signOut()}
      >
        Every browser, application and device that they use has to ask them to sign in again.
      </Asking>
      {isLocal && <Reset user={user} />}
      <Asking
        title="Lock down"
        about="For an account in the wrong hands: all of this at once."
        question={`Lock ${name} down?`}
        isBusy={isBusy}
        onConfirm={() => void lockDown()}
      >
        They are disabled and signed out everywhere, and what they allowed applications is taken back.
      </Asking>
      <Delete user={user} change={change} />
      {dialog}
    </DangerZone>
  )
}

interface AskingProps {
  title: string
  about: string
  question: string
  isBusy: boolean
  onConfirm: () => void
  children: ReactNode
}

/** A row whose button asks first. */
function Asking({ title, about, question, isBusy, onConfirm, children }: AskingProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <DangerRow
        title={title}
        about={about}
        action={
          <Button look="danger" isBusy={isBusy} onClick={() => setOpen(true)}>
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

/** The new password is shown this once. */
function Reset({ user }: { user: User }) {
  const [password, setPassword] = useState<string>()
  const reset = async () => {
    try {
      setPassword((await call(resetUser, { params: { userId: user.id } })).password)
      refresh()
    } catch (error) {
      void toast({ type: 'error', content: `Not done: ${whyNot(error)}` })
    }
  }
  return (
    <>
      <Asking
        title="New password"
        about="For the built-in directory. They are signed out everywhere."
        question={`Give ${nameOf(user)} a new password?`}
        isBusy={false}
        onConfirm={() => void reset()}
      >
        The one that they have is good no more. You are shown the new one, to be given to them.
      </Asking>
      <Dialog isOpen={password !== undefined} title="The new password" onClose={() => setPassword(undefined)}>
        <p className="mt-1.5 text-ink2">It is shown this once.</p>
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

function Delete({ user, change }: { user: User; change: ReturnType<typeof usePreview>['change'] }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const params = { userId: user.id }
  const name = nameOf(user)
  const remove = async () => {
    setAsking(false)
    try {
      const about = { title: `Delete ${name}?`, action: 'Delete' }
      if (!(await change((query) => call(deleteUser, { params, query }), about))) return
      // First away: their page would ask for whom there is no more.
      await navigate({ to: '/admin/users' })
      refresh()
      void undoToast(
        `${name} is deleted`,
        () => call(restoreUser, { params, query: {}, body: {} }).then(refresh),
        whyNot,
      )
    } catch (error) {
      void toast({ type: 'error', content: `Not deleted: ${whyNot(error)}` })
    }
  }
  return (
    <>
      <DangerRow
        title="Delete"
        about="They are gone for everyone. For 30 days they can be restored with all that was theirs."
        action={
          <Button look="danger" onClick={() => setAsking(true)}>
            Delete …
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={isAsking}
        title={`Delete ${name}?`}
        phrase={user.username ?? name}
        action="Delete user"
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        They are signed out everywhere and leave their groups and organisations.
      </TypeToConfirm>
    </>
  )
}
