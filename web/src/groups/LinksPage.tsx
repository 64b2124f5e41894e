import { JoinLinks } from '../join/JoinLinks.tsx'
import { Empty } from '../ui/Empty.tsx'
import { type Area, canManageGroup } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'

export const AdminLinksPage = () => <LinksPage area="admin" />
export const OwnLinksPage = () => <LinksPage area="account" />

/** The join links of a group, for its owners and administrators. */
function LinksPage({ area }: { area: Area }) {
  return (
    <GroupFrame area={area}>
      {(group) =>
        canManageGroup(area, group) ? (
          <JoinLinks kind="group" targetId={group.id} name={group.name} />
        ) : (
          <Empty kind="no permission" title="Only owners can manage join links" />
        )
      }
    </GroupFrame>
  )
}
