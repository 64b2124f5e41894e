import type { RoleEffect } from '@passport/contract/role-effect'
import { deleteRole, listRoles, type Role } from '@passport/contract/roles'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RoleEffectList } from '../directory/RoleEffectList.tsx'
import { Button } from '../ui/Button.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { toast } from '../ui/toast.ts'

/** Deletes a role after its name is typed, with a preview of who loses it. */
export function DeleteRole({ role: { name } }: { role: Role }) {
  const navigate = useNavigate()
  const [effect, setEffect] = useState<RoleEffect>()
  const [isBusy, setBusy] = useState(false)

  async function run(action: () => Promise<unknown>) {
    setBusy(true)
    try {
      await action()
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't delete the role: ${toFailure(error).detail}` })
    }
    setBusy(false)
  }
  const send = (preview: boolean) =>
    call(deleteRole, { params: { name }, query: preview ? { preview: 'true' } : {} } as never) as Promise<unknown>
  const loadEffect = async () => setEffect((await send(true)) as RoleEffect)
  async function deleteAndLeave() {
    await send(false)
    setEffect(undefined)
    void toast({ type: 'success', content: `${name} deleted` })
    await navigate({ to: '/admin/roles' })
    void queryClient.invalidateQueries({ queryKey: [listRoles.path] })
  }
  return (
    <DangerZone>
      <DangerRow
        title="Delete this role"
        description="Removed from everyone, including through groups. This can't be undone."
        action={
          <Button variant="danger" isBusy={isBusy && !effect} onClick={() => void run(loadEffect)}>
            Delete…
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={effect !== undefined}
        title={`Delete ${name}?`}
        phrase={name}
        action="Delete role"
        isBusy={isBusy}
        onConfirm={() => void run(deleteAndLeave)}
        onClose={() => setEffect(undefined)}
      >
        {effect && effect.loses.length > 0 ? <RoleEffectList effect={effect} /> : 'No one has this role.'}
      </TypeToConfirm>
    </DangerZone>
  )
}
