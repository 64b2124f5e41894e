import { type User, unlinkUserLogin } from '@passport/contract/users'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { LoginUse } from '../app/LoginUse.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { EnrolmentLink } from './EnrolmentLink.tsx'
import { UserConnections } from './UserConnections.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The sign-in methods of a user, which are their logins at identity providers, and their connected accounts. */
export function UserLoginsPage() {
  return (
    <UserFrame>
      {(user) => (
        <div className="grid gap-4">
          <Logins user={user} />
          <UserConnections userId={user.id} />
        </div>
      )}
    </UserFrame>
  )
}

function Logins({ user }: { user: User }) {
  const [unlinking, setUnlinking] = useState<User['logins'][number]>()
  const unlink = useMutation({
    mutationFn: (loginId: string) => call(unlinkUserLogin, { params: { userId: user.id, loginId } }),
    onSuccess: () => reportSuccess('Sign-in method unlinked'),
    onError: (error) => reportFailure('unlink the sign-in method', error),
    onSettled: () => {
      setUnlinking(undefined)
      void queryClient.invalidateQueries()
    },
  })
  return (
    <Card title="Sign-in methods">
      {user.logins.length === 0 && <EnrolmentLink user={user} />}
      <ul className="px-4 pb-2 sm:px-[18px]">
        {user.logins.map((login) => (
          <li
            key={login.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair py-3 first:border-0"
          >
            <ObjectIcon kind="secret" size={32} />
            <div className="min-w-0 flex-1 basis-64">
              <p className="font-[560]">{login.provider.name}</p>
              <p className="text-[13px] break-words text-ink2">{login.label}</p>
              <p className="flex items-center gap-1 text-[13px] text-ink3">
                ID
                <code className="font-mono text-[12.5px] break-all">{login.externalId}</code>
                <CopyButton text={login.externalId} label="Copy external ID" />
              </p>
            </div>
            <div className="flex items-center gap-4 max-sm:basis-full max-sm:pl-1">
              <LoginUse login={login} />
              <Button
                isSmall
                variant="danger"
                aria-label={`Unlink ${login.provider.name} ${login.label}`}
                onClick={() => setUnlinking(login)}
              >
                Unlink
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={unlinking !== undefined}
        title={`Unlink ${unlinking?.provider.name ?? ''}?`}
        action="Unlink"
        isBusy={unlink.isPending}
        onConfirm={() => unlinking && unlink.mutate(unlinking.id)}
        onClose={() => setUnlinking(undefined)}
      >
        The user will no longer be able to sign in with {unlinking?.label}. Sessions and tokens from it will end.
        {user.logins.length === 1 && ' This is their only sign-in method.'}
      </Confirm>
    </Card>
  )
}
