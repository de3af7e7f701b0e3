/** Circles of imports, those of types included: no file may reach itself through what it imports. */

/** The circles of a graph of imports, each as the files on it; a file that imports itself is one too. */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  /** The earliest file on the current path that each file leads back to (Tarjan's strongly connected components). */
  const reaches = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const circles: string[][] = [];
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;

  function visit(file: string): number {
    const place = order.size;
    order.set(file, place);
    path.push(file);
    onPath.add(file);
    let earliest = place;
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) earliest = Math.min(earliest, visit(target));
      else if (onPath.has(target))
        earliest = Math.min(earliest, reaches.get(target) ?? order.get(target) ?? place);
    }
    reaches.set(file, earliest);
    if (earliest === place) close(file);
    return earliest;
  }

  /** `file` leads back to nothing before it: what is on the path from it on is one component. */
  function close(file: string): void {
    const component = path.splice(path.indexOf(file));
    for (const member of component) onPath.delete(member);
    const isCircle = component.length > 1 || (imports.get(file) ?? []).includes(file);
    if (isCircle) circles.push(component);
  }
}
