/** Whether the user and the password of a URL can be decoded. Clients throw if a percent sign encodes nothing. */
export const isDecodable = ({ username, password }: URL): boolean => {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
};
