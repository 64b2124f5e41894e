import {
  deleteUser,
  disableUser,
  enableUser,
  getUser,
  listUsers,
  lockDownUser,
  resetUserPassword,
  restoreUser,
  signOutUser,
  type User,
  type UserSummary,
} from '@passport/contract/users'
import { CircleCheck, CircleOff, KeyRound, LogOut, ShieldAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import { type CacheEdit, editResponse, editRows, updateOptimistically } from '../app/optimistic-update.ts'
import { queryClient } from '../app/query-client.ts'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { type PreviewQuery, usePreview } from '../directory/use-preview.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm, Dialog } from '../ui/Dialog.tsx'
import type { MenuItem } from '../ui/Menu.tsx'

/** A user, with their logins only on their own page. */
type Target = UserSummary & Partial<Pick<User, 'logins'>>

interface Question {
  title: string
  /** Completes “Couldn't …”. */
  operation: string
  action: string
  text: string
  /** The label of a checkbox; `run` receives its state. */
  option?: string
  run: (isOptionChosen: boolean) => Promise<unknown>
}

const refresh = () => void queryClient.invalidateQueries()
const iconSize = 16
const disabledState = { disabled: true, status: 'disabled' } as const

/** Shows new values of a user's fields on their page and in the lists. */
const editUser = (userId: string, fields: Partial<UserSummary>): CacheEdit[] => [
  editRows(listUsers, {}, (user) => (user.id === userId ? { ...user, ...fields } : user)),
  editResponse(getUser, { params: { userId } }, (user) => ({ ...user, ...fields })),
]

interface UserActions {
  itemsFor: (user: Target) => MenuItem[]
  askToSignOut: (user: Target) => void
  dialogs: ReactNode
}

/**
 * Returns the actions on a user: enable or disable, sign out, reset the password, lock down and delete. Render `dialogs`
 * anywhere on the page.
 */
export function useUserActions(): UserActions {
  const { change, dialog } = usePreview()
  const { deleteItem, dialog: deleteDialog } = useDeleteRecord()
  const [question, setQuestion] = useState<Question>()
  const [isOptionChosen, chooseOption] = useState(false)
  const [password, setPassword] = useState<string>()

  async function run(operation: string, action: () => Promise<unknown>) {
    try {
      await action()
    } catch (error) {
      reportFailure(operation, error)
    }
    refresh()
  }

  const askToSignOut = (user: Target) => {
    chooseOption(false)
    setQuestion({
      title: `Sign out ${nameOf(user)} everywhere?`,
      operation: 'sign out the user',
      action: 'Sign out everywhere',
      text: 'Every browser, app and device will ask the user to sign in again.',
      option: 'Revoke personal tokens too',
      run: async (personalTokens) => {
        const { sessions } = await call(signOutUser, { params: { userId: user.id }, body: { personalTokens } })
        reportSuccess(sessions === 1 ? '1 session ended' : `${sessions} sessions ended`)
      },
    })
  }

  function itemsFor(user: Target): MenuItem[] {
    const params = { userId: user.id }
    const name = nameOf(user)
    const enable = async () => {
      const status = user.status === 'disabled' ? 'active' : user.status
      const edits = editUser(user.id, { disabled: false, status })
      await updateOptimistically(edits, () => call(enableUser, { params, query: {} }))
      refresh()
    }
    const disable = async () => {
      const confirmation = { title: `Disable ${name}?`, action: 'Disable', isOneUser: true }
      const edits = editUser(user.id, disabledState)
      const send = (query: PreviewQuery) => call(disableUser, { params, query })
      // Without roles there is nothing to preview.
      const isWithoutRoles = user.effectiveRoles.length === 0
      const result = isWithoutRoles
        ? await updateOptimistically(edits, () => send({}))
        : await change(send, confirmation, { edits })
      if (result) reportWithUndo(`${name} disabled`, enable)
    }
    const lockDown = async () => {
      const confirmation = { title: `Lock down ${name}?`, action: 'Lock down', isOneUser: true }
      const edits = editUser(user.id, disabledState)
      const result = await change((query) => call(lockDownUser, { params, query }), confirmation, { edits })
      if (result) reportSuccess(`${name} locked down`)
    }
    const isLocal = user.logins?.some(({ provider }) => provider.id === 'local')
    return [
      user.disabled
        ? {
            label: 'Enable',
            icon: <CircleCheck size={iconSize} />,
            onSelect: () => void run('enable the user', enable),
          }
        : {
            label: 'Disable',
            icon: <CircleOff size={iconSize} />,
            onSelect: () => void run('disable the user', disable),
          },
      { label: 'Sign out everywhere', icon: <LogOut size={iconSize} />, onSelect: () => askToSignOut(user) },
      ...(isLocal
        ? [
            {
              label: 'Reset password',
              icon: <KeyRound size={iconSize} />,
              onSelect: () =>
                setQuestion({
                  title: `Reset the password of ${name}?`,
                  operation: 'reset the password',
                  action: 'Reset password',
                  text: 'Their current password stops working, and they are signed out everywhere. The new password is shown once.',
                  run: async () => setPassword((await call(resetUserPassword, { params })).password),
                }),
            },
          ]
        : []),
      {
        label: 'Lock down',
        icon: <ShieldAlert size={iconSize} />,
        isDanger: true,
        onSelect: () =>
          setQuestion({
            title: `Lock down ${name}?`,
            operation: 'lock down the user',
            action: 'Lock down',
            text: 'Disables the account, ends all sessions, and revokes app access, personal tokens, and the invitations and links that they sent.',
            run: lockDown,
          }),
      },
      deleteItem({
        kind: 'user',
        name,
        phrase: user.username,
        consequence: 'Signs the user out everywhere and removes them from all groups and organisations.',
        list: '/admin/users',
        edits: [editRows(listUsers, {}, (row) => (row.id === user.id ? undefined : row))],
        remove: (query) => call(deleteUser, { params, query }),
        restore: () => call(restoreUser, { params, query: {}, body: {} }),
      }),
    ]
  }

  const dialogs = (
    <>
      <Confirm
        isOpen={question !== undefined}
        title={question?.title ?? ''}
        action={question?.action ?? ''}
        onConfirm={() => {
          setQuestion(undefined)
          if (question) void run(question.operation, () => question.run(isOptionChosen))
        }}
        onClose={() => setQuestion(undefined)}
      >
        {question?.text}
        {question?.option && (
          <div className="mt-1.5">
            <Check checked={isOptionChosen} onChange={({ target }) => chooseOption(target.checked)}>
              {question.option}
            </Check>
          </div>
        )}
      </Confirm>
      <NewPassword password={password} onClose={() => setPassword(undefined)} />
      {dialog}
      {deleteDialog}
    </>
  )
  return { itemsFor, askToSignOut, dialogs }
}

/** Shows a new password once. */
function NewPassword({ password, onClose }: { password: string | undefined; onClose: () => void }) {
  return (
    <Dialog isOpen={password !== undefined} title="New password" onClose={onClose}>
      <p className="mt-1.5 text-ink2">Copy it now. It won't be shown again.</p>
      <p className="mt-3 flex items-center gap-1">
        <code className="font-mono break-all">{password}</code>
        <CopyButton text={password ?? ''} label="Copy password" />
      </p>
      <div className="mt-5 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
