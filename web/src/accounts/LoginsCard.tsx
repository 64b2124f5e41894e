import { linkLogin, listLogins } from '@passport/contract/accounts'
import { discover } from '@passport/contract/discovery'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure } from '../app/messages.ts'
import { Card } from '../ui/Card.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Status } from '../ui/Status.tsx'
import { IdentityRow } from './IdentityRow.tsx'
import { useRemoval } from './use-removal.tsx'

/** The account's logins. The last one cannot be unlinked. */
export function LoginsCard() {
  const logins = useQuery(query(listLogins, {}))
  const [unlink, dialog] = useRemoval()
  return (
    <Card title="Sign-in methods" action={<LinkMenu />}>
      <Loaded query={logins} label="Loading sign-in methods" rows={1}>
        {(all) => (
          <>
            <ul className="px-4 pb-1.5 sm:px-[18px]">
              {all.map((login) => (
                <IdentityRow
                  key={login.id}
                  picture={<KeyRound size={17} strokeWidth={1.75} />}
                  name={login.provider.name}
                  status={login.current && <Status tone="ok">In use</Status>}
                  label={login.label}
                  title={`Subject ${login.externalId}`}
                  use={login}
                  action="Unlink"
                  onAction={all.length > 1 ? () => unlink({ login }) : undefined}
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
      {dialog}
    </Card>
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
