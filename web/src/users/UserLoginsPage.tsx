import { type User, unlinkUserLogin } from '@passport/contract/users'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { LoginUse } from '../app/LoginUse.tsx'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { toast } from '../ui/toast.ts'
import { UserFrame } from './UserFrame.tsx'

/** The ways into a person's account. */
export function UserLoginsPage() {
  return <UserFrame>{(user) => <Logins user={user} />}</UserFrame>
}

function Logins({ user }: { user: User }) {
  const [leaving, setLeaving] = useState<User['logins'][number]>()
  const unlink = useMutation({
    mutationFn: (loginId: string) => call(unlinkUserLogin, { params: { userId: user.id, loginId } }),
    onSuccess: () => void toast({ type: 'success', content: 'The login is unlinked' }),
    onError: (error) => void toast({ type: 'error', content: `Not unlinked: ${failureOf(error).detail}` }),
    onSettled: () => {
      setLeaving(undefined)
      void queryClient.invalidateQueries()
    },
  })
  return (
    <Card title="Logins" about="Who they are at each identity provider. Only these lead into the account.">
      {user.logins.length === 0 && (
        <Empty kind="nothing yet" title="No way in yet">
          They come in by an invitation, or by a login that is linked.
        </Empty>
      )}
      <ul className="px-5 pb-2">
        {user.logins.map((login) => (
          <li key={login.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
            <div className="min-w-0 flex-1 basis-64">
              <p className="font-[600]">
                {login.provider.name} <span className="font-normal text-ink2">{login.label}</span>
              </p>
              <p className="flex items-center gap-1 text-ink3">
                <code className="font-mono text-[12.5px] break-all">{login.externalId}</code>
                <CopyButton text={login.externalId} label="Copy external id" />
              </p>
            </div>
            <LoginUse login={login} />
            <Button
              isSmall
              look="danger"
              aria-label={`Unlink ${login.provider.name} ${login.label}`}
              onClick={() => setLeaving(login)}
            >
              Unlink
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={leaving !== undefined}
        title={`Unlink ${leaving?.provider.name ?? ''}?`}
        action="Unlink"
        isBusy={unlink.isPending}
        onConfirm={() => leaving && unlink.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      >
        {leaving?.label} will not lead into this account any more, and the sessions that came in by it end.
        {user.logins.length === 1 && ' It is the only way in.'}
      </Confirm>
    </Card>
  )
}
