import { type LinkedLogin, linkLogin, listLogins, unlinkLogin } from '@passport/contract/accounts'
import { discover } from '@passport/contract/discovery'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { LoginUse } from '../app/LoginUse.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Tag } from '../ui/Tag.tsx'

/** The account's logins. The last one cannot be unlinked. */
export function LoginsCard() {
  const logins = useQuery(query(listLogins, {}))
  const [unlinking, setUnlinking] = useState<LinkedLogin>()
  return (
    <Card title="Sign-in methods" description="Accounts you can use to sign in." action={<LinkMenu />}>
      <Loaded query={logins} label="Loading sign-in methods" rows={1}>
        {(all) => (
          <>
            <ul className="px-5 pb-2">
              {all.map((login) => (
                <LoginRow
                  key={login.id}
                  login={login}
                  onUnlink={all.length > 1 ? () => setUnlinking(login) : undefined}
                />
              ))}
            </ul>
            {all.length === 1 && (
              <p className="px-5 pb-4 text-[13px] text-ink3">You can't unlink your only sign-in method.</p>
            )}
          </>
        )}
      </Loaded>
      <UnlinkDialog login={unlinking} onDone={() => setUnlinking(undefined)} />
    </Card>
  )
}

/** Without `onUnlink` the login cannot be unlinked. */
function LoginRow({ login, onUnlink }: { login: LinkedLogin; onUnlink: (() => void) | undefined }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-[600]">
          {login.provider.name} {login.current && <Tag>In use</Tag>}
        </p>
        <p className="break-words text-ink2">{login.label}</p>
        <p className="text-[13px] text-ink3">
          Subject <code className="font-mono text-[12px] break-all">{login.externalId}</code>
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

/** Links another login through an identity provider. */
function LinkMenu() {
  const { data } = useQuery(query(discover, { query: {} }))
  const link = useMutation({
    mutationFn: (idp: string) => call(linkLogin, { body: { idp } }),
    onSuccess: ({ authorizationUrl }) => location.assign(authorizationUrl),
    onError: (error) => reportFailure('link the sign-in method', error),
  })
  if (!data) return null
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
      You won't be able to sign in with {login?.label} any more. Sessions started with it will end
      {login?.current ? ', including this one' : ''}.
    </Confirm>
  )
}
