interface NamespaceFilterProps {
  /** The number of keys in each namespace. */
  namespaces: Map<string, number>
  namespace: string
  onChange: (namespace: string) => void
}

/** A choice of the keys of one app, such as `MyApp.`. */
export function NamespaceFilter({ namespaces, namespace, onChange }: NamespaceFilterProps) {
  const names = [
    ...new Map([...namespaces, ...(namespace ? [[namespace, namespaces.get(namespace) ?? 0] as const] : [])]),
  ]
  return (
    <select
      aria-label="Namespace"
      className="ctl ctl-select w-auto max-w-52"
      value={namespace}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">All namespaces</option>
      {names.toSorted().map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  )
}
