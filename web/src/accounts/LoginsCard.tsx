import { type LinkedLogin, linkLogin, listLogins, unlinkLogin } from '@passport/contract/accounts'
import { ApiError } from '@passport/contract/call'
import { discover } from '@passport/contract/discovery'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { LoginUse } from '../app/LoginUse.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toast } from '../ui/toast.ts'

/** The ways into the account. The last one cannot be taken away. */
export function LoginsCard() {
  const logins = useQuery(query(listLogins, {}))
  const [leaving, setLeaving] = useState<LinkedLogin>()
  return (
    <Card title="Ways to sign in" about="Each leads into this account, and only this one." action={<LinkMenu />}>
      <Loaded query={logins} label="Loading logins" rows={1}>
        {(all) => (
          <>
            <ul className="px-5 pb-2">
              {all.map((login) => (
                <LoginRow
                  key={login.id}
                  login={login}
                  onUnlink={all.length > 1 ? () => setLeaving(login) : undefined}
                />
              ))}
            </ul>
            {all.length === 1 && (
              <p className="px-5 pb-4 text-[13px] text-ink3">This is the only way in, so it cannot be unlinked.</p>
            )}
          </>
        )}
      </Loaded>
      <UnlinkDialog login={leaving} onDone={() => setLeaving(undefined)} />
    </Card>
  )
}

/** Without `onUnlink` it cannot be taken away. */
function LoginRow({ login, onUnlink }: { login: LinkedLogin; onUnlink: (() => void) | undefined }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-[600]">
          {login.provider.name} {login.current && <Tag>in use</Tag>}
        </p>
        <p className="break-words text-ink2">{login.label}</p>
        <p className="text-[13px] text-ink3">
          Subject <code className="font-mono text-[12px] break-all">{login.externalId}</code>
        </p>
      </div>
      <LoginUse login={login} />
      {onUnlink && (
        <Button isSmall look="danger" onClick={onUnlink} aria-label={`Unlink ${login.provider.name} ${login.label}`}>
          Unlink
        </Button>
      )}
    </li>
  )
}

/** Leads to an identity provider and back, with one more way in. */
function LinkMenu() {
  const { data } = useQuery(query(discover, { query: {} }))
  const link = useMutation({
    mutationFn: (idp: string) => call(linkLogin, { body: { idp } }),
    onSuccess: ({ authorizationUrl }) => location.assign(authorizationUrl),
    onError: (error) => {
      // Whoever adds a way in must have signed in lately: afterwards they are here again.
      const isStale = error instanceof ApiError && error.problem?.code === 'reauthentication-required'
      if (isStale) location.assign(`/login?prompt=login&returnUrl=${encodeURIComponent('/app/account/logins')}`)
      else void toast({ type: 'error', content: `Not linked: ${failureOf(error).detail}` })
    },
  })
  if (!data) return null
  return (
    <Menu
      label="Link a login"
      className="btn btn-small"
      trigger={
        <>
          <Plus size={15} /> Link a login
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
      void toast({ type: 'success', content: 'The login is unlinked' })
      void queryClient.invalidateQueries()
    },
    onError: (error) => void toast({ type: 'error', content: `Not unlinked: ${failureOf(error).detail}` }),
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
      {login?.label} will not lead into this account any more, and the sessions that came in by it end
      {login?.current ? ', this one too' : ''}.
    </Confirm>
  )
}
