import type { RoleEffect } from '@passport/contract/role-effect'
import { deleteRole, listRoles, type Role } from '@passport/contract/roles'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RoleEffectList } from '../directory/RoleEffectList.tsx'
import { Button } from '../ui/Button.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { toast } from '../ui/toast.ts'

/** Deletes a role, once its name was typed beside who would lose it. */
export function DeleteRole({ role: { name } }: { role: Role }) {
  const navigate = useNavigate()
  const [effect, setEffect] = useState<RoleEffect>()
  const [isBusy, setBusy] = useState(false)

  async function run(act: () => Promise<unknown>) {
    setBusy(true)
    try {
      await act()
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
    }
    setBusy(false)
  }
  const send = (preview: boolean) =>
    call(deleteRole, { params: { name }, query: preview ? { preview: 'true' } : {} } as never) as Promise<unknown>
  const look = async () => setEffect((await send(true)) as RoleEffect)
  async function remove() {
    await send(false)
    setEffect(undefined)
    void toast({ type: 'success', content: `Deleted the role ${name}` })
    await navigate({ to: '/admin/roles' })
    void queryClient.invalidateQueries({ queryKey: [listRoles.path] })
  }
  return (
    <DangerZone>
      <DangerRow
        title="Delete this role"
        about="Everyone loses it, also those who have it by a group. It cannot be brought back."
        action={
          <Button look="danger" isBusy={isBusy && !effect} onClick={() => void run(look)}>
            Delete …
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={effect !== undefined}
        title={`Delete ${name}?`}
        phrase={name}
        action="Delete role"
        isBusy={isBusy}
        onConfirm={() => void run(remove)}
        onClose={() => setEffect(undefined)}
      >
        {effect && effect.loses.length > 0 ? <RoleEffectList effect={effect} /> : 'Nobody has it.'}
      </TypeToConfirm>
    </DangerZone>
  )
}
