import { linkLogin, listLoginProviders, listLogins } from '@passport/contract/accounts'
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
    <Card title="Sign-in methods" action={logins.data?.length !== 1 && <LinkMenu />}>
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
              <div className="flex flex-wrap items-center gap-2 border-t border-hair px-4 py-3 sm:px-[18px]">
                <p className="flex-1 basis-52 text-ink2">A second method keeps you from being locked out.</p>
                <LinkMenu isPrimary />
              </div>
            )}
          </>
        )}
      </Loaded>
      {dialog}
    </Card>
  )
}

/** A menu of identity providers that links a login at one of them. */
function LinkMenu({ isPrimary }: { isPrimary?: true }) {
  const { data } = useQuery(query(listLoginProviders, {}))
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
      className={`btn btn-small ${isPrimary ? 'btn-primary' : ''}`}
      trigger={
        <>
          <Plus size={15} /> Link sign-in method
        </>
      }
      items={data.map(({ id, name }) => ({ label: name, onSelect: () => link.mutate(id) }))}
    />
  )
}
