import { type LinkedLogin, linkLogin, listLogins, unlinkLogin } from '@passport/contract/accounts'
import { discover } from '@passport/contract/discovery'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { LoginUse } from '../app/LoginUse.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Status } from '../ui/Status.tsx'

/** The account's logins. The last one cannot be unlinked. */
export function LoginsCard() {
  const logins = useQuery(query(listLogins, {}))
  const [unlinking, setUnlinking] = useState<LinkedLogin>()
  return (
    <Card title="Sign-in methods" action={<LinkMenu />}>
      <Loaded query={logins} label="Loading sign-in methods" rows={1}>
        {(all) => (
          <>
            <ul className="px-4 pb-1.5 sm:px-[18px]">
              {all.map((login) => (
                <LoginRow
                  key={login.id}
                  login={login}
                  onUnlink={all.length > 1 ? () => setUnlinking(login) : undefined}
                />
              ))}
            </ul>
            {all.length === 1 && (
              <p className="border-t border-hair px-4 py-2.5 text-[13px] text-ink3 sm:px-[18px]">
                You can't unlink your only sign-in method.
              </p>
            )}
          </>
        )}
      </Loaded>
      <UnlinkDialog login={unlinking} onDone={() => setUnlinking(undefined)} />
    </Card>
  )
}

/** A login. Without `onUnlink` it cannot be unlinked. */
function LoginRow({ login, onUnlink }: { login: LinkedLogin; onUnlink: (() => void) | undefined }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair py-2.5 first:border-0">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-well text-ink2">
        <KeyRound size={17} strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-3 font-[560] [&_.whitespace-nowrap]:text-[13px] [&_.whitespace-nowrap]:font-normal">
          {login.provider.name} {login.current && <Status tone="ok">In use</Status>}
        </p>
        <p className="text-[13px] break-words text-ink2" title={`Subject ${login.externalId}`}>
          {login.label}
        </p>
      </div>
      <LoginUse login={login} />
      {onUnlink && (
        <Button isSmall variant="danger" onClick={onUnlink} aria-label={`Unlink ${login.provider.name} ${login.label}`}>
          Unlink
        </Button>
      )}
    </li>
  )
}

/** A menu of identity providers that links a login at one of them. */
function LinkMenu() {
  const { data } = useQuery(query(discover, { query: {} }))
  const link = useMutation({
    mutationFn: (idp: string) => call(linkLogin, { body: { idp } }),
    onSuccess: ({ authorizationUrl }) => location.assign(authorizationUrl),
    onError: (error) => reportFailure('link the sign-in method', error),
  })
  // The card keeps its height while the providers load.
  if (!data) return <div className="h-8 w-[154px] pointer-coarse:h-11" />
  return (
    <Menu
      label="Link sign-in method"
      className="btn btn-small"
      trigger={
        <>
          <Plus size={15} /> Link sign-in method
        </>
      }
      items={data.identityProviders.map(({ id, name }) => ({ label: name, onSelect: () => link.mutate(id) }))}
    />
  )
}

function UnlinkDialog({ login, onDone }: { login: LinkedLogin | undefined; onDone: () => void }) {
  const queryClient = useQueryClient()
  const unlink = useMutation({
    mutationFn: (id: string) => call(unlinkLogin, { params: { id } }),
    onSuccess: () => {
      reportSuccess('Sign-in method unlinked')
      void queryClient.invalidateQueries()
    },
    onError: (error) => reportFailure('unlink the sign-in method', error),
    onSettled: onDone,
  })
  return (
    <Confirm
      isOpen={login !== undefined}
      title={`Unlink ${login?.provider.name ?? ''}?`}
      action="Unlink"
      isBusy={unlink.isPending}
      onConfirm={() => login && unlink.mutate(login.id)}
      onClose={onDone}
    >
      You'll no longer be able to sign in with {login?.label}. Sessions started with it will end
      {login?.current ? ', including this one' : ''}.
    </Confirm>
  )
}
