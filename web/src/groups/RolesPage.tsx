import { ApiError } from '@passport/contract/call'
import { type Group, getGroup, putGroupRoles } from '@passport/contract/groups'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { RoleChecks } from '../directory/RoleChecks.tsx'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const GroupRolesPage = () => (
  <GroupFrame area="admin">{(group) => <Roles key={group.version} group={group} />}</GroupFrame>
)

const putRoles = (id: string, roles: string[], query = {}, version?: number) =>
  call(
    putGroupRoles,
    { params: { groupId: id }, query, body: { roles } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** Which roles the members of a group have by being one. */
function Roles({ group }: { group: Group }) {
  const [picked, setPicked] = useState(group.roles)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [theirs, setTheirs] = useState<Group>()
  const { change, dialog } = usePreview()
  const names = picked.toSorted()
  const isDirty = names.join() !== group.roles.join()

  async function save(version: number) {
    setBusy(true)
    setFailure(undefined)
    setTheirs(undefined)
    try {
      const about = { title: `Change the roles of ${group.name}?`, action: 'Change roles' }
      const saved = await change((query) => putRoles(group.id, names, query, version), about)
      if (saved) {
        const undo = () => putRoles(group.id, group.roles).finally(refreshGroups)
        void undoToast(`The roles of ${group.name} are changed`, undo, (error) => failureOf(error).detail)
        await refreshGroups()
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 412)
        setTheirs(await call(getGroup, { params: { id: group.id } }))
      else setFailure(failureOf(error))
    }
    setBusy(false)
  }

  return (
    <Card
      title="Roles"
      about={`Every member of ${group.name} has these roles, for as long as they are one. Owners have none by it. While it carries roles, only those who may give them can change its members and owners.`}
    >
      <form
        className="grid gap-4 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          void save(group.version)
        }}
      >
        <RoleChecks label="Roles" picked={picked} onPick={setPicked} />
        {failure && <ErrorCard failure={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isBusy={isBusy} disabled={!isDirty}>
            Save roles
          </Button>
          {isDirty && <Button onClick={() => setPicked(group.roles)}>Discard</Button>}
        </div>
      </form>
      {dialog}
      <CompareDialog
        isOpen={theirs !== undefined}
        what="this group"
        differences={[
          {
            name: 'roles',
            label: 'Roles',
            mine: names.join(', '),
            theirs: theirs?.roles.join(', ') ?? '',
            choice: 'mine',
          },
        ]}
        isBusy={isBusy}
        onSave={({ roles }) => {
          if (roles === 'mine' && theirs) return void save(theirs.version)
          setTheirs(undefined)
          void refreshGroups()
        }}
        onClose={() => setTheirs(undefined)}
      />
    </Card>
  )
}
