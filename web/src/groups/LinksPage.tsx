import { JoinLinks } from '../join/JoinLinks.tsx'
import { Empty } from '../ui/Empty.tsx'
import { type Area, mayRun } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'

export const AdminLinksPage = () => <LinksPage area="admin" />
export const OwnLinksPage = () => <LinksPage area="account" />

/** The links by which people become members of a group, for those who run it. */
function LinksPage({ area }: { area: Area }) {
  return (
    <GroupFrame area={area}>
      {(group) =>
        mayRun(area, group) ? (
          <JoinLinks kind="group" targetId={group.id} name={group.name} />
        ) : (
          <Empty kind="no permission" title="Only its owners make links into this group" />
        )
      }
    </GroupFrame>
  )
}
