import { deleteGroup, type Group, getGroup, putGroup, restoreGroup } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { type Area, listOf } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const AdminSettingsPage = () => <SettingsPage area="admin" />
export const OwnSettingsPage = () => <SettingsPage area="account" />

function SettingsPage({ area }: { area: Area }) {
  return (
    <GroupFrame area={area}>
      {(group) => (
        <>
          <Texts group={group} />
          <Danger area={area} group={group} />
        </>
      )}
    </GroupFrame>
  )
}

const savedOf = ({ name, description, version }: Group) => ({ values: { name, description }, version })

function Texts({ group }: { group: Group }) {
  const record = useRecordForm({
    saved: savedOf(group),
    labels: { name: 'Name', description: 'Description' },
    save: (body, options) => call(putGroup, { params: { groupId: group.id }, body }, options),
    reload: async () => savedOf(await call(getGroup, { params: { id: group.id } })),
    onSaved: () => {
      void refreshGroups()
      void toast({ type: 'success', content: 'Saved' })
    },
  })
  return (
    <RecordFormFrame record={record} what="this group">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...record.form.register('name')} />
          <Field
            label="Description"
            autoComplete="off"
            error={record.errorOf('description')}
            {...record.form.register('description')}
          />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function Danger({ area, group }: { area: Area; group: Group }) {
  const [isBusy, setBusy] = useState(false)
  const { change, dialog } = usePreview()
  const navigate = useNavigate()
  const { id, name } = group

  async function remove() {
    setBusy(true)
    try {
      const about = { title: `Delete ${name}?`, action: 'Delete group' }
      const version = { ifMatch: `"${group.version}"` }
      if (!(await change((query) => call(deleteGroup, { params: { id }, query }, version), about))) return
      await navigate({ to: listOf[area].to as never })
      await refreshGroups()
      const undo = () => call(restoreGroup, { params: { id }, query: {}, body: {} }).finally(refreshGroups)
      void undoToast(`${name} is deleted`, undo, (error) => failureOf(error).detail)
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
      await refreshGroups()
    } finally {
      setBusy(false)
    }
  }
  return (
    <DangerZone>
      <DangerRow
        title="Delete this group"
        about="Its members lose what they have by it. It can be restored for 30 days."
        action={
          <Button look="danger" isBusy={isBusy} onClick={() => void remove()}>
            Delete group
          </Button>
        }
      />
      {dialog}
    </DangerZone>
  )
}
