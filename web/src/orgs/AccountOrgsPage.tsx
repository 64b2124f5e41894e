import type { CurrentUser } from '@passport/contract/current-user'
import { getOwnAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, Settings } from 'lucide-react'
import { useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { JoinCard } from './JoinCard.tsx'
import { LeaveDialog } from './LeaveDialog.tsx'

type OwnOrg = CurrentUser['orgs'][number]

const columns: Column<OwnOrg>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowName
        picture={<ObjectIcon kind="org" />}
        name={name}
        detail={
          <span className="sm:hidden">
            Joined <JoinedAt orgId={id} isInSentence />
          </span>
        }
      />
    ),
  },
  {
    id: 'role',
    header: 'Your role',
    width: 'w-[120px]',
    isOnCard: true,
    cell: ({ role }) => capitalize(role),
  },
  {
    id: 'since',
    header: 'Joined',
    width: 'w-[132px]',
    cell: ({ id }) => <JoinedAt orgId={id} />,
  },
]

/** The user's organisations; those they manage link to their pages. */
export function AccountOrgsPage() {
  const state = useListState({ filters: {}, sorts: [] })
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<OwnOrg>()
  const text = state.searchText.toLowerCase()
  const matches = (useCurrentUser()?.orgs ?? []).filter(({ name }) => name.toLowerCase().includes(text))
  const { page, limit } = state.query
  const items = matches.slice((page - 1) * limit, page * limit)
  const next = page * limit < matches.length ? `?page=${page + 1}` : null
  const open = (orgId: string) => void navigate({ to: '/account/orgs/$orgId', params: { orgId } })
  return (
    <>
      <AccountHead />
      <div className="cols">
        <ListPage
          isEmbedded
          name="own-orgs"
          title="Organisations"
          noun={['organisation', 'organisations']}
          state={state}
          // They are a part of the current user, which is loaded already.
          list={{
            data: { items, page, limit, total: matches.length, next },
            error: null,
            isPending: false,
            isPlaceholderData: false,
            refetch: () => Promise.reject(new Error('The list needs no requests.')),
          }}
          columns={columns}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          linkTo={({ id, role }) =>
            role === 'member' ? undefined : { to: '/account/orgs/$orgId', params: { orgId: id } }
          }
          rowMenu={(org) => [
            ...(org.role === 'member'
              ? []
              : [{ label: 'Manage', icon: <Settings size={16} />, onSelect: () => open(org.id) }]),
            { label: 'Leave…', icon: <LogOut size={16} />, isDanger: true, onSelect: () => setLeaving(org) },
          ]}
          searchPlaceholder="Name"
          emptyHint="An owner or admin can add you."
        />
        <JoinCard />
      </div>
      <LeaveDialog org={leaving} onClose={() => setLeaving(undefined)} />
    </>
  )
}

/** The instant at which the current user was added to an organisation. */
function JoinedAt({ orgId, isInSentence }: { orgId: string; isInSentence?: true }) {
  const { data } = useQuery(query(getOwnAccess, {}))
  const since = data?.orgs.find(({ id }) => id === orgId)?.since
  return since ? <RelativeTime at={since} {...(isInSentence && { inSentence: true })} /> : '–'
}
