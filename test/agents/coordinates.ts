import { getNamedType, isAbstractType, isInputObjectType, isObjectType } from 'graphql';
import { createSchema } from '../../src/gateway/schema.ts';

const schema = createSchema();

interface Marked {
  readonly name: string;
  readonly astNode?:
    | { readonly directives?: readonly { readonly name: { readonly value: string } }[] | undefined }
    | null
    | undefined;
}

const isMarked = ({ astNode }: Marked): boolean =>
  astNode?.directives?.some(({ name }) => ['personal', 'secret'].includes(name.value)) ?? false;

/** The fields with their arguments, and the members of inputs, to which Query leads without what the SDL marks. */
export const coordinates = (): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  const names = new Set(['Query']);
  // The loop also comes to what it adds.
  for (const name of names) {
    const type = schema.getType(name);
    if (isAbstractType(type))
      for (const each of schema.getPossibleTypes(type)) names.add(each.name);
    if (!type || isMarked(type)) continue;
    if (isInputObjectType(type)) {
      const members = Object.values(type.getFields()).filter((each) => !isMarked(each));
      for (const each of members) names.add(getNamedType(each.type).name);
      found.set(
        name,
        members.map((each) => each.name),
      );
    }
    if (!isObjectType(type)) continue;
    const fields = Object.values(type.getFields()).filter(
      (each) => !isMarked(each) && !isMarked(getNamedType(each.type)),
    );
    const given = fields.flatMap((field) =>
      field.args.filter((each) => !isMarked(each)).map((argument) => ({ field, argument })),
    );
    for (const each of [...fields, ...given.map(({ argument }) => argument)])
      names.add(getNamedType(each.type).name);
    found.set(name, [
      ...fields.map((each) => each.name),
      ...given.map(({ field, argument }) => `${field.name}(${argument.name}:)`),
    ]);
  }
  return found;
};
