// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// The two functions of ENS' Universal Resolver that the server calls, with names that anyone can set. It checks nothing.
contract TestEns {
    mapping(bytes32 node => address wallet) private wallets;
    mapping(address wallet => string name) private names;

    /// Lets a name point to a wallet.
    function setAddress(bytes32 node, address wallet) external {
        wallets[node] = wallet;
    }

    /// Lets a wallet claim a name.
    function setName(address wallet, string calldata name) external {
        names[wallet] = name;
    }

    function resolveWithGateways(bytes calldata, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory, address)
    {
        address wallet = wallets[abi.decode(data[4:], (bytes32))];
        require(wallet != address(0), "no resolver");
        return (abi.encode(wallet), address(this));
    }

    function reverseWithGateways(bytes calldata reverseName, uint256, string[] calldata)
        external
        view
        returns (string memory, address, address)
    {
        string memory name = names[address(bytes20(reverseName))];
        require(bytes(name).length > 0, "no resolver");
        return (name, address(this), address(this));
    }
}
